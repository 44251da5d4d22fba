# SPDX-License-Identifier: MIT
# Filters: processes by PID, with their descendants, and by cgroup; devices by major number.
. /bench/devices
load_gpusim

set_parameter() { # NAME VALUE
	echo "$2" >"/sys/module/doorbell_watch/parameters/$1" || fail "$1=$2"
}

# Starts a shell, whose PID is in $NAME; once it reads a line, its child writes doorbells.
begin_waiting() { # NAME STORES
	mkfifo "go.$1"
	sh -c 'read line <"go.$0"; sh -c "burst /dev/null $1"' "$1" "$2" &
	eval "$1=$!"
}

begin_waiting one 100
begin_waiting two 1000
set_parameter pids "$one"
# One after the other, because both use the same ring and wait for their last token there.
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
! echo /nowhere 2>/dev/null >/sys/module/doorbell_watch/parameters/cgroup || fail 'a cgroup that does not exist was accepted'
[ "$(parameter cgroup)" = /watched ] || fail "the cgroup is $(parameter cgroup)"
set_parameter cgroup ''

gpusim=$(sed -n 's/ gpusim$//p' /proc/devices | tr -d ' ')
set_parameter majors 4095
burst /dev/null 1000
expect doorbells 302
set_parameter majors "4095, $gpusim"
burst /dev/null 300
expect doorbells 603
! echo 4096 2>/dev/null >/sys/module/doorbell_watch/parameters/majors || fail 'majors=4096 was accepted'
expect_nothing
unload
umount /tmp/cgroup
