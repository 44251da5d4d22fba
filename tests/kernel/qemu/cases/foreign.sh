# SPDX-License-Identifier: MIT
# A set-user-ID program, and a program in a PID namespace of its own.
. /bench/devices
load_gpusim
begin_trace foreign
cp /bench/programs/burst privileged
chmod 4755 privileged
chmod 755 /tmp/case
su nobody -s /bin/sh -c './privileged /dev/null 100' || fail "su: $?"
unshare -f -p burst /dev/null 100 || fail "unshare: $?"
end_trace
expect doorbells 202
expect_nothing
unload
