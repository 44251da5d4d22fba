#!/bin/bash
# SPDX-License-Identifier: MIT
# Tests Debian's packages: builds them, runs lintian, installs and tests them in a bare Debian
# of this machine's release (in-root.sh), builds the container's image and records in it. Debian
# itself comes from this machine's apt sources. Downloads are kept in WORK for the next run.
# Usage: test-packages.sh PROJECT WORK
set -eu
project=$1 work=$2
here=$(cd "$(dirname "$0")" && pwd)

[ "$(id -u)" = 0 ] || exec sudo "$0" "$@"
# Makes private namespaces of mounts and processes, which end with this script.
[ "${INSIDE:-}" = yes ] ||
	INSIDE=yes exec unshare --mount --pid --ipc --fork --kill-child --propagation private "$0" "$@"
mkdir -p "$work/archives/partial"
cd "$work"
exec 9>lock
flock 9
step() { echo "== $(date +%T) $*"; }

# Prints lines of sources.list: Debian's archives, as configured here.
sources() {
	apt-get indextargets --format '$(ORIGIN) deb $(REPO_URI) $(RELEASE) $(COMPONENT)' \
		'Created-By: Packages' | sed -n 's/^Debian deb/deb/p' | sort -u
}
[ -n "$(sources)" ] || apt-get -qq update
release=$(. /etc/os-release && echo "$VERSION_CODENAME")
mirror=$(sources | awk -v release="$release" '$3 == release { print $2; exit }')
[ -n "$mirror" ] || { echo "test-packages: apt knows no archive of Debian's $release" >&2; exit 1; }

# base: creates a packed bare Debian, which is kept for a week.
base() {
	[ -z "$(find . -maxdepth 1 -name base.tar -mtime -7)" ] || return 0
	rm -rf base base.tar
	debootstrap --variant=minbase --cache-dir="$work/archives" "$release" base "$mirror" >base.log 2>&1 ||
		{ tail base.log; return 1; }
	sources >base/etc/apt/sources.list
	apt-config dump Acquire | grep -i proxy >base/etc/apt/apt.conf.d/90proxy || :
	# Skips fsync, because nothing needs to survive a crash.
	echo force-unsafe-io >base/etc/dpkg/dpkg.cfg.d/fast
	chroot base apt-get clean
	tar -C base -c -f base.new .
	mv base.new base.tar
	rm -rf base
}

# enter COMMAND...: runs in the bare Debian.
enter() {
	chroot root env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LANG=C.UTF-8 \
		DEBIAN_FRONTEND=noninteractive "$@"
}

step "a bare Debian $release, beside it the packages"
base >base.out 2>&1 &
made=$!
"$project/scripts/make-packages" debs
wait $made || { cat base.out; exit 1; }

step "lintian"
lintian --allow-root --fail-on error,warning --tag-display-limit 0 debs/*.changes
rm -rf unpacked
for package in debs/*.deb; do
	dpkg -x "$package" unpacked
done
if grep -rlF -e "$work" -e "$project" unpacked; then
	echo 'FAIL: these files contain the path of the build folder'
	exit 1
fi
rm -rf unpacked

step "installed in it"
rm -rf root
mkdir root
tar -C root -x -f base.tar
mount --bind root root
mount -t proc proc root/proc
mount -t sysfs -o ro sysfs root/sys
mount -t tmpfs -o mode=1777 tmpfs root/dev/shm
mount -t tmpfs -o mode=1777 tmpfs root/tmp
mount -t tmpfs tmpfs root/run
mkdir root/run/lock root/tmp/packages root/tmp/tests
mount --bind archives root/var/cache/apt/archives
mount --bind debs root/tmp/packages
mount --bind "$here" root/tmp/tests
cat /etc/resolv.conf >root/etc/resolv.conf
enter /tmp/tests/in-root.sh

step "the container's image"
image() { buildah --root "$work/images" --runroot "$work/images-run" --storage-driver vfs "$@"; }
rm -rf images images-run
container=$(image from scratch)
image add -q "$container" base.tar / >image.log
image commit -q "$container" localhost/bare >>image.log
image bud -q --isolation chroot --build-arg BASE=localhost/bare -t ktail \
	-v "$work/archives:/var/cache/apt/archives" \
	-f "$project/packaging/Containerfile" debs >>image.log 2>&1 || { tail image.log; exit 1; }
container=$(image from localhost/ktail)
# This command is the one in the Containerfile's comment.
image run --isolation chroot "$container" -- ktail record --softgpu -o trace -- vadd --repeat 30
image run --isolation chroot "$container" -- sh -c 'ktail --k 20 trace -o fsm.svg && grep -q "</svg>" fsm.svg'
rm -rf images images-run
step "all as expected"
