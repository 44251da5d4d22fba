#!/bin/sh
# SPDX-License-Identifier: MIT
# Runs a test with processes, shared memory, temporary files, home, network and LTTng daemons of its
# own, so that tests that record sessions can run at the same time. Needs root.
# Usage: apart.sh COMMAND [ARGUMENT...]
#     exit status: the command's
set -eu

if [ "${1:-}" != --inside ]; then
	scratch=$(mktemp -d)
	trap 'rm -rf "$scratch"' EXIT
	trap 'exit 143' INT TERM HUP
	KTAIL_APART=$scratch unshare --mount --pid --ipc --net --fork --kill-child \
		--propagation private "$0" --inside "$@" || exit
	exit
fi
shift

scratch=$KTAIL_APART
unset KTAIL_APART TMPDIR
root=$(cd "$(dirname "$0")/.." && pwd)
mount -t proc proc /proc
mount -t tmpfs -o mode=1777 tmpfs /dev/shm
mount -t tmpfs -o mode=755 tmpfs /run
mkdir -m 700 /run/home
ip link set lo up
# If the tree or the build is under /tmp, it must also be found under the new /tmp.
mkdir -m 1777 "$scratch/tmp"
for folder in "$root" "$PWD"; do
	case $folder in
	/tmp/*)
		mkdir -p "$scratch$folder"
		mount --rbind "$folder" "$scratch$folder"
		;;
	esac
done
mount --rbind "$scratch/tmp" /tmp
cd "$PWD"
# No exec: the command would be the first process of a PID namespace, which ignores signals
# that it does not handle, and must reap orphaned processes.
status=0
HOME=/run/home "$@" || status=$?
exit "$status"
