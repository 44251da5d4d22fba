# SPDX-License-Identifier: MIT
# Processes by their number, with their descendants, and by their cgroup; devices by the
# number of their driver.
. /bench/devices
load_gpusim

set_parameter() { # NAME VALUE
	echo "$2" >"/sys/module/doorbell_watch/parameters/$1" || fail "$1=$2"
}

# Says its number, and goes on when it is told to: its children are the ones that ring.
begin_waiting() { # NAME STORES
	mkfifo "go.$1"
	sh -c 'read line <"go.$0"; sh -c "burst /dev/null $1"' "$1" "$2" &
	eval "$1=$!"
}

begin_waiting one 100
begin_waiting two 1000
set_parameter pids "$one"
# One after the other: they have the same ring, and look for their last token there.
echo go >go.one
wait $one
echo go >go.two
wait $two
expect doorbells 101
set_parameter pids ''

mkdir -p /tmp/cgroup
mount -t cgroup2 cgroup /tmp/cgroup
mkdir -p /tmp/cgroup/watched/below
set_parameter cgroup /watched
sh -c 'echo $$ >/tmp/cgroup/watched/below/cgroup.procs; exec burst /dev/null 200'
burst /dev/null 1000
expect doorbells 302
! echo /nowhere 2>/dev/null >/sys/module/doorbell_watch/parameters/cgroup || fail 'a cgroup that there is not'
[ "$(parameter cgroup)" = /watched ] || fail "the cgroup is $(parameter cgroup)"
set_parameter cgroup ''

gpusim=$(sed -n 's/ gpusim$//p' /proc/devices | tr -d ' ')
set_parameter majors 4095
burst /dev/null 1000
expect doorbells 302
set_parameter majors "4095, $gpusim"
burst /dev/null 300
expect doorbells 603
! echo 4096 2>/dev/null >/sys/module/doorbell_watch/parameters/majors || fail 'majors=4096'
expect_nothing
unload
umount /tmp/cgroup
