# SPDX-License-Identifier: MIT
# Debian's kernel with its headers, LTTng's modules and busybox: fetched by apt, unpacked
# into $tree, not installed.

need_tools() {
	missing=''
	while read -r tool package; do
		command -v "$tool" >/dev/null || missing="$missing $package"
	done <<-END
		qemu-system-x86_64 qemu-system-x86
		cpio cpio
		depmod kmod
		gcc gcc
		make make
		dpkg-deb dpkg
		lttng-sessiond lttng-tools
		babeltrace2 babeltrace2
	END
	[ -e /usr/include/gelf.h ] || missing="$missing libelf-dev"
	[ -z "$missing" ] || die "find what it needs: install$missing" \
		"(scripts/install-dependencies --tests does)"
}

# Two benches would build in the same places.
lock_work() {
	exec 9>"$work/lock"
	flock -n 9 || {
		say "wait for another bench to end, which uses $work"
		flock 9
	}
}

# Where apt's lists are missing, or older than the archive, the bench gets its own.
apt_options=''
get_lists() {
	say 'get the lists of packages'
	mkdir -p "$work/apt/lists/partial" "$work/apt/archives/partial"
	apt_options="-o Dir::State::Lists=$work/apt/lists -o Dir::Cache=$work/apt"
	apt-get $apt_options -q -q update >"$work/apt.log" 2>&1
}

# The package that a package depends on whose name matches.
depends_on() { # PACKAGE PATTERN
	apt-cache $apt_options depends "$1" 2>/dev/null |
		sed -n "s/^ *Depends: \($2\)\$/\1/p" | head -n 1
}

# The kernel of this Debian release, whatever its number is now.
name_packages() {
	image=$(depends_on linux-image-amd64 'linux-image-[0-9].*')
	[ -n "$image" ] || return 1
	release=${image#linux-image-}
	headers=linux-headers-$release
	packages="$image $headers $(depends_on "$headers" 'linux-headers-.*-common')
		$(depends_on "$headers" 'linux-kbuild-.*') lttng-modules-dkms busybox-static"
}

# apt says that it fetches as root, where it does.
download() {
	rm -rf "$work/debs"
	mkdir -p "$work/debs"
	(cd "$work/debs" && apt-get $apt_options -q -q download $packages) 2>"$work/apt.log"
}

# What was fetched before, if it is whole.
recall_packages() {
	[ -f "$work/packages" ] || return 1
	. "$work/packages"
	[ -s "$work/$release/versions" ]
}

# The versions that apt knows, on a line.
newest_versions() {
	echo $(apt-cache $apt_options policy $packages 2>/dev/null | sed -n 's/^ *Candidate: //p')
}

cannot_fetch() { # REASON
	cat "$work/apt.log" >&2
	die "fetch packages: $1, and nothing was fetched before"
}

# Without a network what was fetched before will do.
fetch_packages() {
	if ! name_packages && ! recall_packages; then
		get_lists && name_packages || cannot_fetch 'apt knows no linux-image-amd64'
	fi
	tree=$work/$release
	versions=$(newest_versions)
	known=$(echo $(cat "$tree/versions" 2>/dev/null))
	[ -z "$known" ] || [ "${versions:-$known}" != "$known" ] || return 0
	say "fetch $release"
	if ! download && ! { get_lists && name_packages && download; }; then
		recall_packages || cannot_fetch 'apt-get download failed'
		tree=$work/$release
		say "cannot fetch it, see $work/apt.log: go on with $release $(head -n 1 "$tree/versions")"
		return 0
	fi
	tree=$work/$release
	versions=$(newest_versions)
	earlier=$(recall_packages && echo "$release" || :)
	rm -rf "$tree" "$work/out"
	mkdir -p "$tree"
	unpack
	printf 'release=%s packages="%s"\n' "$release" "$(echo $packages)" >"$work/packages"
	printf '%s\n' $versions >"$tree/versions"
	[ -z "$earlier" ] || [ "$earlier" = "$release" ] || rm -rf "${work:?}/$earlier"
}

# Of the kernel's modules only those of the guest's own devices; newer kernels have
# fs/fscache in fs/netfs.
unpack_image() { # PACKAGE
	dpkg-deb --fsys-tarfile "$1" >"$work/image.tar"
	tar -t -f "$work/image.tar" | grep -E -e '^\./boot/vmlinuz-' \
		-e '/modules\.(builtin|order)' -e '/(drivers/virtio|net/9p|fs/9p|fs/netfs|fs/fscache)/.' \
		>"$work/image.files"
	tar -x -C "$tree" -f "$work/image.tar" -T "$work/image.files"
	rm "$work/image.tar" "$work/image.files"
}

unpack() {
	say unpack
	for deb in "$work"/debs/*.deb; do
		case $deb in
		*/linux-image-*) unpack_image "$deb" ;;
		*) dpkg-deb -x "$deb" "$tree" ;;
		esac
	done
	rm -r "$work/debs"
	# Debian 13 has all programs in /usr/bin.
	[ -e "$tree/bin/busybox" ] || ln -sT usr/bin "$tree/bin"
	# It names the common headers where they would be installed.
	sed -i "s|/usr/src/|$tree/usr/src/|" "$tree/usr/src/linux-headers-$release/Makefile"
	# For the types of modules (BTF), which nobody asks for here.
	rm -f "$tree/usr/src/linux-headers-$release/vmlinux"
}
