# SPDX-License-Identifier: MIT
# Fetches Debian's kernel with its headers, LTTng-modules and busybox with apt and unpacks them
# into $tree; nothing is installed.

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
	[ -z "$missing" ] || die "missing tools: install$missing" \
		"(scripts/install-dependencies --tests does)"
}

# Two benches would build in the same folders.
lock_work() {
	exec 9>"$work/lock"
	flock -n 9 || {
		say "waiting for another bench that uses $work"
		flock 9
	}
}

# Gets package lists of the bench's own, if apt's lists are missing or older than the archive.
apt_options=''
get_lists() {
	say "get apt's package lists"
	mkdir -p "$work/apt/lists/partial" "$work/apt/archives/partial"
	apt_options="-o Dir::State::Lists=$work/apt/lists -o Dir::Cache=$work/apt"
	apt-get $apt_options -q -q update >"$work/apt.log" 2>&1
}

# Prints the first package that PACKAGE depends on and whose name matches PATTERN.
depends_on() { # PACKAGE PATTERN
	apt-cache $apt_options depends "$1" 2>/dev/null |
		sed -n "s/^ *Depends: \($2\)\$/\1/p" | head -n 1
}

# Names the packages of this Debian release's current kernel.
name_packages() {
	image=$(depends_on linux-image-amd64 'linux-image-[0-9].*')
	[ -n "$image" ] || return 1
	release=${image#linux-image-}
	headers=linux-headers-$release
	packages="$image $headers $(depends_on "$headers" 'linux-headers-.*-common')
		$(depends_on "$headers" 'linux-kbuild-.*') lttng-modules-dkms busybox-static"
}

# Hides apt-get's note that the download is unsandboxed as root; errors go to apt.log.
download() {
	rm -rf "$work/debs"
	mkdir -p "$work/debs"
	(cd "$work/debs" && apt-get $apt_options -q -q download $packages) 2>"$work/apt.log"
}

# Names the packages of the last fetch, if it was complete.
recall_packages() {
	[ -f "$work/packages" ] || return 1
	. "$work/packages"
	[ -s "$work/$release/versions" ]
}

# Prints the candidate versions that apt knows, on one line.
newest_versions() {
	echo $(apt-cache $apt_options policy $packages 2>/dev/null | sed -n 's/^ *Candidate: //p')
}

cannot_fetch() { # REASON
	cat "$work/apt.log" >&2
	die "$1, and nothing was fetched before"
}

# Fetches the packages if there are newer versions; without a network, uses the last fetch.
fetch_packages() {
	if ! name_packages && ! recall_packages; then
		get_lists && name_packages || cannot_fetch 'apt does not know linux-image-amd64'
	fi
	tree=$work/$release
	versions=$(newest_versions)
	known=$(echo $(cat "$tree/versions" 2>/dev/null))
	[ -z "$known" ] || [ "${versions:-$known}" != "$known" ] || return 0
	say "fetch $release"
	if ! download && ! { get_lists && name_packages && download; }; then
		recall_packages || cannot_fetch 'apt-get download failed'
		tree=$work/$release
		say "cannot fetch it, see $work/apt.log: continue with $release $(head -n 1 "$tree/versions")"
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

# Unpacks only those kernel modules that drive the guest's devices. Newer kernels have
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
	# This Makefile includes that of the common headers by its installed path.
	sed -i "s|/usr/src/|$tree/usr/src/|" "$tree/usr/src/linux-headers-$release/Makefile"
	# vmlinux is used only to generate BTF, which the bench does not need.
	rm -f "$tree/usr/src/linux-headers-$release/vmlinux"
}
