# SPDX-License-Identifier: MIT
# Builds LTTng-modules (without its probes), the project's modules and the cases' programs.

quietly() { # LOG COMMAND...
	log=$1
	shift
	"$@" >"$log" 2>&1 || {
		tail -n 40 "$log" >&2
		die "$1 failed, see $log"
	}
}

choose_kernel() {
	if [ -n "$kernel" ]; then
		headers_dir=$(cd "$kernel" && pwd)
		boot_image=$headers_dir/arch/x86/boot/bzImage
		release=$(cat "$headers_dir/include/config/kernel.release")
		[ -f "$boot_image" ] || die "$boot_image: no such file"
	else
		headers_dir=$tree/usr/src/linux-headers-$release
		boot_image=$tree/boot/vmlinuz-$release
	fi
	out=$work/out/$release
	mkdir -p "$out"
}

# LTTng's probes are left out: none is needed, and one does not compile for every Debian kernel.
# So are the system call tables (their build takes longer than all the rest), tests and debug
# information.
build_lttng() {
	lttng=$out/lttng
	[ ! -f "$lttng/done" ] || return 0
	say 'build LTTng-modules'
	rm -rf "$lttng"
	cp -r "$tree"/usr/src/lttng-modules-* "$lttng"
	cat >"$lttng/src/probes/Kbuild" <<-'END'
		TOP_LTTNG_MODULES_DIR := $(shell dirname $(lastword $(MAKEFILE_LIST)))/../..
		include $(TOP_LTTNG_MODULES_DIR)/src/Kbuild.common
		ccflags-y += -I$(TOP_LTTNG_MODULES_DIR)/include
		obj-$(CONFIG_LTTNG) += lttng-kprobes.o lttng-kretprobes.o lttng-uprobes.o
	END
	: >"$lttng/src/tests/Kbuild"
	echo '#undef CONFIG_HAVE_SYSCALL_TRACEPOINTS' >"$lttng/without-syscalls.h"
	quietly "$out/lttng.log" make -j "$(nproc)" -C "$headers_dir" M="$lttng" CONFIG_LTTNG=m \
		CONFIG_HAVE_SYSCALL_TRACEPOINTS= \
		KCFLAGS="-g0 -include $lttng/without-syscalls.h" modules
	: >"$lttng/done"
}

# Builds the modules from the source tree that DKMS gets, which tests the package as well.
build_modules() {
	say 'build the modules'
	quietly "$out/layout.log" make -C "$root/lttng-providers/kernel" dkms-source DESTDIR="$out/source"
	quietly "$out/modules.log" make -j "$(nproc)" -C "$out/source/lttng-providers/kernel" \
		KDIR="$headers_dir" O="$out/modules" KCFLAGS=-g0 \
		LTTNG_MODULES="$lttng" LTTNG_BUILT="$lttng"
}

# Builds each folder with a Kbuild: the driver of a device (gpusim/, edu/) or a part of a case.
# The sources are symbolic links; stale links, links into another checkout and old modules are
# removed first.
build_devices() {
	mkdir -p "$out/devices"
	for folder in "$out"/devices/*/; do
		[ -f "$here/$(basename "$folder")/Kbuild" ] || rm -rf "$folder"
	done
	for folder in "$here"/*/Kbuild; do
		folder=${folder%/Kbuild}
		name=${folder##*/}
		[ -L "$out/devices/$name/Kbuild" ] || rm -rf "$out/devices/$name"
		mkdir -p "$out/devices/$name"
		find "$out/devices/$name" -name '*.ko' -delete
		find "$out/devices/$name" \( -lname "$here/*" -o -type l ! -lname "$root/*" \) -delete
		ln -sf "$folder"/* "$out/devices/$name/"
		quietly "$out/$name.log" make -j "$(nproc)" -C "$headers_dir" \
			M="$out/devices/$name" KTAIL_SOURCE="$root" KCFLAGS=-g0 \
			KBUILD_EXTRA_SYMBOLS="$out/modules/watch/Module.symvers" modules
	done
}

# Builds the watch module again for the case fuzz, with a counter in each basic block and the
# planted fault, if any. $fuzzed/blocks gets the number of basic blocks.
build_fuzzed() {
	case $plan in
	*fuzz* | *large*) ;;
	*) return 0 ;;
	esac
	fuzzed=$out/fuzzed
	quietly "$out/fuzzed.log" make -j "$(nproc)" -C "$out/source/lttng-providers/kernel" \
		KDIR="$headers_dir" O="$fuzzed" KCFLAGS=-g0 DW_COVERAGE=y DW_PLANT="$plant" \
		KBUILD_EXTRA_SYMBOLS="$out/devices/coverage/Module.symvers" watch
	objdump -r "$fuzzed/watch/doorbell_watch.o" | grep -c __sanitizer_cov_trace_pc >"$fuzzed/blocks"
}

build_cases() {
	mkdir -p "$out/programs"
	for source in "$here"/cases/*.c "$here"/cases/*/*.c; do
		[ -f "$source" ] || continue
		program=$out/programs/$(basename "$source" .c)
		[ "$program" -nt "$source" ] && [ -z "$(find "$here" -name '*.h' -newer "$program")" ] || quietly "$out/cases.log" \
			gcc -std=gnu17 -O2 -Wall -Wextra -static -pthread -I "$root" \
			-I "$root/lttng-providers/kernel" -o "$program" "$source"
	done
}

build_all() {
	choose_kernel
	build_lttng
	build_modules
	build_devices
	build_fuzzed
	say 'build the cases'
	build_cases
}
