# SPDX-License-Identifier: MIT
# Builds the guest's files as an initramfs: busybox, LTTng, the modules, the cases and ktail.

find_ktail() {
	[ -n "$build" ] || for build in "$root/build/dev" "$root/build/release" ''; do
		[ ! -x "$build/bin/ktail" ] || break
	done
	[ -z "$build" ] || [ -d "$build" ] || die "$build: no such folder"
	[ -z "$build" ] || build=$(cd "$build" && pwd) || exit 2
	[ -n "$build" ] && [ -x "$build/bin/ktail" ] ||
		die 'ktail is not built: build it first (cmake --preset release && cmake --build --preset release)' \
			'or give --build DIR'
}

# Copies each file to the same path in the guest.
add_file() { # FILE...
	for file; do
		[ ! -e "$guest$file" ] || continue
		mkdir -p "$guest$(dirname "$file")"
		cp -L "$file" "$guest$file"
	done
}

# Prints the paths of the shared libraries that FILE... need, and of the dynamic loader.
libraries_of() { # FILE...
	ldd "$@" 2>/dev/null |
		sed -n 's/.*=> \(\/[^ ]*\) .*/\1/p; s/^[[:space:]]*\(\/lib64[^ ]*\) .*/\1/p' | sort -u
}

add_program() { # FILE...
	add_file "$@" $(libraries_of "$@")
}

add_lttng() {
	libdir=/usr/lib/$(gcc -print-multiarch)
	add_program "$(command -v lttng)" "$(command -v lttng-sessiond)" \
		"$libdir/lttng/libexec/lttng-consumerd" "$libdir/liblttng-ust.so.1" \
		"$libdir/liblttng-ust-tracepoint.so.1"
	# busybox's modprobe has only some of the options of kmod's.
	add_program "$(command -v kmod)"
	ln -s "$(command -v kmod)" "$guest/usr/bin/modprobe"
	# lttng-sessiond ends without a message if this file is missing.
	add_file /usr/share/xml/lttng/session.xsd
}

# Lays ktail out as it is installed, because it finds its libraries relative to itself.
add_ktail() {
	mkdir -p "$guest/ktail/bin" "$guest/ktail/lib/ktail-softgpu"
	cp "$build/bin/ktail-record" "$guest/ktail/bin/"
	cp -r "$build/bin/corpus" "$guest/ktail/bin/"
	cp "$build"/lib/libktail-*.so "$guest/ktail/lib/"
	cp "$build"/lib/ktail-softgpu/*.so* "$guest/ktail/lib/ktail-softgpu/"
	find "$guest/ktail" -type f -exec strip --strip-debug {} + 2>/dev/null || :
	for needed in $(libraries_of $(find "$build/bin/ktail-record" "$build/bin/corpus" \
		"$build"/lib/libktail-*.so "$build"/lib/ktail-softgpu -type f)); do
		case $needed in
		"$build"/*) ;;
		*) add_file "$needed" ;;
		esac
	done
}

# Adds the expected outputs of the workloads, and test programs that act as a user-mode driver.
add_corpus() {
	mkdir -p "$guest/bench/corpus" "$guest/bench/kmd"
	cp -r "$root/corpus/recordings.tsv" "$root/corpus/outputs" "$guest/bench/corpus/"
	for test in random-files test-kmd-submit test-kmd-errors test-kmd-kernel \
		test-kmd-processes test-kmd-mappings; do
		[ -x "$build/bin/$test" ] || continue
		cp "$build/bin/$test" "$guest/bench/kmd/"
		add_file $(libraries_of "$build/bin/$test")
	done
}

add_modules() {
	modules=$guest/lib/modules/$release
	mkdir -p "$modules/extra"
	if [ -z "$kernel" ]; then
		cp -r "$tree/lib/modules/$release/." "$modules/"
	else
		cp "$kernel"/modules.builtin "$kernel"/modules.builtin.modinfo \
			"$kernel"/modules.order "$modules/"
	fi
	find "$out/lttng" "$out/modules" "$out/devices" -name '*.ko' \
		-exec cp {} "$modules/extra/" \;
	strip --strip-debug "$modules"/extra/*.ko
	depmod -b "$guest" "$release" 2>"$out/depmod.log" || die "depmod failed, see $out/depmod.log"
	grep -i 'needs unknown' "$out/depmod.log" >&2 && die 'a module needs symbols that no module exports'
	return 0
}

add_fuzzed() {
	[ -n "$fuzzed" ] || return 0
	mkdir -p "$guest/bench/fuzzed"
	cp "$fuzzed/watch/doorbell_watch.ko" "$fuzzed/blocks" "$guest/bench/fuzzed/"
	strip --strip-debug "$guest/bench/fuzzed/doorbell_watch.ko"
}

make_image() {
	say "build the guest's image"
	guest=$out/guest
	rm -rf "$guest"
	mkdir -p "$guest/bin" "$guest/bench" "$guest/etc" "$guest/proc" "$guest/sys" \
		"$guest/dev" "$guest/tmp" "$guest/run" "$guest/root" "$guest/out" "$guest/var"
	ln -s ../run "$guest/var/run"
	cp "$tree/bin/busybox" "$guest/bin/"
	echo 'root:x:0:0:root:/root:/bin/sh' >"$guest/etc/passwd"
	echo 'nobody:x:65534:65534:nobody:/:/bin/sh' >>"$guest/etc/passwd"
	printf 'root:x:0:\nnogroup:x:65534:\n' >"$guest/etc/group"
	add_lttng
	add_ktail
	add_corpus
	add_modules
	add_fuzzed
	cp -r "$here/guest/." "$here/cases" "$out/programs" "$guest/bench/"
	mv "$guest/bench/init" "$guest/init"
	chmod 755 "$guest/init"
	(cd "$guest" && find . | cpio -o -H newc --quiet) >"$out/initramfs"
}
