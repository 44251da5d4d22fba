#!/bin/bash
# SPDX-License-Identifier: MIT
# Runs in a bare Debian with the packages in /tmp/packages: installs them, tests the
# installation, builds the kernel modules, and removes the packages again without leaving a
# file.
set -eu
cd /tmp
export HOME=/tmp
step() { echo "-- $(date +%T) $*"; }
quiet() { "$@" >/tmp/log 2>&1 || { cat /tmp/log; echo "FAIL: $*"; exit 1; }; }
packages='ktail libktail0 libktail-dev ktail-corpus ktail-dkms'
# Lists all files except caches, logs and the package managers' databases.
files() {
	find / -xdev \( -path /tmp -o -path /var/cache -o -path /var/log -o -path /var/lib/apt -o \
		-path /var/lib/dpkg \) -prune -o -print | sort
}

step 'what ktail itself depends on is enough'
echo 'Binary::apt::APT::Keep-Downloaded-Packages "true";' >/etc/apt/apt.conf.d/90keep
quiet apt-get update
quiet apt install -y --no-install-recommends ./packages/ktail_*.deb ./packages/libktail0_*.deb
quiet ktail record --softgpu -o trace -- /usr/lib/*/ktail-softgpu/corpus/vadd --repeat 30
quiet ktail --k 20 trace -o fsm.svg -o fsm.png -o fsm.pdf -o fsm.json
quiet ktail annotate fsm.json trace -o meaning.svg

# DKMS builds only modules that are named below, because LTTng's modules take minutes.
mkdir -p /etc/dkms
touch /etc/dkms/no-autoinstall
quiet apt install -y --no-install-recommends ./packages/*.deb linux-headers-amd64 \
	less jq gnuplot-nox man-db gcc libc6-dev make cmake pkg-config
# Keeps the dependencies, but not the packages: the removal below must return to this state.
quiet dpkg --purge $packages
files >before
quiet apt install -y ./packages/*.deb

step 'all that README.md says'
tests/test-installed.sh /usr/share/doc/ktail/README.md /usr/share/ktail/corpus

step 'the kernel modules, by DKMS'
kernel=$(basename /lib/modules/*)
# A list of the symbols that LTTng exports, with checksums of 0, replaces LTTng's built modules.
grep -rhoP '^EXPORT(_PER_CPU)?_SYMBOL_GPL\(\Klttng_\w+' /usr/src/lttng-modules-* | sort -u |
	sed 's/.*/0x00000000\t&\tlttng-tracer\tEXPORT_SYMBOL_GPL\t/' >"/lib/modules/$kernel/Module.symvers"
version=$(dpkg-query -W -f '${Version}' ktail-dkms)
quiet dkms install "ktail/$version" -k "$kernel"
rm "/lib/modules/$kernel/Module.symvers"
for module in doorbell_watch lttng-probe-gpu-stack; do
	modinfo -k "$kernel" "$module" | grep '^version\|^vermagic'
done

step 'nothing is left of them'
quiet apt-get purge -y $packages
# depmod's lists belong to the kernel, and LTTng's build writes generated/ into LTTng's source.
files | diff before - | grep '^[<>]' |
	grep -vE '/lib/modules/[^/]*/modules\.|/usr/src/lttng-modules-[^/]*/include/generated' >left || :
find / -xdev -path /tmp -prune -o \( -name '*ktail*' -o -name '*doorbell_watch*' -o -name '*gpu-stack*' \) \
	-print >>left
if [ -s left ]; then
	echo 'FAIL: the packages left or removed these files:'
	cat left
	exit 1
fi
