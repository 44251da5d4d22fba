#!/bin/sh
# SPDX-License-Identifier: MIT
# Tests ktail softgpu and ktail record --softgpu: usage errors, exit statuses, and the
# environment of the command. The programs are copied beside stand-ins for the libraries, so the
# test requires neither LTTng nor the software GPU.
# Usage: test-options.sh BIN
set -u

bin=$1
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
failures=0
unset LD_PRELOAD LD_LIBRARY_PATH KTAIL_SOFTGPU_DRIVER KTAIL_SOFTGPU_TRANSFER

# place DIR: copies the two programs to DIR/bin, and their libraries' stand-ins to DIR/lib.
place() {
	mkdir -p "$1/bin" "$1/lib/ktail-softgpu"
	cp "$bin/ktail-softgpu" "$bin/ktail-record" "$1/bin"
	touch "$1/lib/libktail-record.so" "$1/lib/ktail-softgpu/libktail-softgpu.so" \
		"$1/lib/ktail-softgpu/libcuda.so.1"
}

# expect STATUS PATTERN PROGRAM ARGUMENT...: the output must match the pattern.
expect() {
	want=$1
	pattern=$2
	program=$3
	shift 3
	"$program" "$@" >"$scratch/out" 2>&1
	got=$?
	if [ "$got" != "$want" ] || ! grep -q -e "$pattern" "$scratch/out"; then
		echo "FAILED: $program $*: status $got, not $want, or not '$pattern' in:"
		cat "$scratch/out"
		failures=$((failures + 1))
	fi
}

place "$scratch/here"
soft=$scratch/here/bin/ktail-softgpu
record=$scratch/here/bin/ktail-record
folder=$scratch/here/lib/ktail-softgpu

# --- ktail softgpu ---
expect 0 'usage: ktail softgpu' "$soft" --help
expect 0 '^ktail [0-9]' "$soft" --version
expect 125 'no COMMAND' "$soft"
expect 125 'unknown option --bogus; see ktail softgpu --help' "$soft" --bogus true
expect 125 'driver must be 1 or 2' "$soft" --softgpu-driver 3 true
expect 125 'driver must be 1 or 2' "$soft" --softgpu-driver= true
expect 125 'transfer must be dma, mapped, window, chunk1 or chunk4' "$soft" --softgpu-transfer=fast true
expect 127 'run /no/such/program' "$soft" /no/such/program
expect 126 'run /etc/passwd' "$soft" /etc/passwd
# Old spellings
expect 0 'note: --driver is an old name of --softgpu-driver' "$soft" --driver 1 true
expect 0 'note: --transfer is an old name of --softgpu-transfer' "$soft" --transfer dma true
# The stand-ins are not libraries: the loader warns about them and goes on.
expect 42 '' "$soft" sh -c 'exit 42'
expect 7 '' "$soft" -- sh -c 'exit 7'
expect 0 'bogus' "$soft" echo --bogus

# Prints the environment from a shell, because the loader's messages come first.
show='echo "$LD_PRELOAD|$LD_LIBRARY_PATH|$KTAIL_SOFTGPU_DRIVER|$KTAIL_SOFTGPU_TRANSFER"'
kmd=$folder/libktail-softgpu.so
expect 0 "^$kmd|$folder|2|dma\$" "$soft" sh -c "$show"
expect 0 "^$kmd|$folder|1|chunk4\$" "$soft" --softgpu-driver 1 --softgpu-transfer chunk4 sh -c "$show"
expect 0 "^$kmd|$folder|1|window\$" env KTAIL_SOFTGPU_DRIVER=1 KTAIL_SOFTGPU_TRANSFER=window \
	"$soft" sh -c "$show"
expect 0 "^$kmd|$folder|2|dma\$" env KTAIL_SOFTGPU_DRIVER=1 KTAIL_SOFTGPU_TRANSFER= \
	"$soft" --softgpu-driver 2 sh -c "$show"
# On NVIDIA's kernel module there is nothing to preload.
expect 0 "^|$folder|2|dma\$" "$soft" --hardware sh -c "$show"
expect 125 'KTAIL_SOFTGPU_DRIVER must be 1 or 2' env KTAIL_SOFTGPU_DRIVER=7 "$soft" true
expect 0 "^$kmd:/no/one.so|$folder:/no/where|2|dma\$" env LD_PRELOAD=/no/one.so \
	LD_LIBRARY_PATH=/no/where "$soft" sh -c "$show"
# Nested commands do not add the library twice.
expect 0 "^$kmd|$folder|2|dma\$" "$soft" "$soft" sh -c "$show"

# --- ktail record --softgpu: its options; no command is started ---
expect 125 'softgpu-driver requires --softgpu' \
	"$record" --softgpu-driver 1 -o "$scratch/t" -- true
expect 125 'softgpu-transfer requires --softgpu' \
	"$record" --softgpu-transfer dma -o "$scratch/t" -- true
expect 125 'softgpu-driver must be 1 or 2' \
	"$record" --softgpu --softgpu-driver x -o "$scratch/t" -- true
expect 125 'softgpu-transfer must be dma' \
	"$record" --softgpu --softgpu-transfer x -o "$scratch/t" -- true
expect 125 'KTAIL_SOFTGPU_TRANSFER must be dma' env KTAIL_SOFTGPU_TRANSFER=x \
	"$record" --softgpu -o "$scratch/t" -- true

# --- search for the library ---
rm "$folder/libcuda.so.1"
expect 125 'find the software GPU.*libcuda.so.1: it is not in' "$soft" true
rm -r "$folder"
expect 125 'find the software GPU.*libktail-softgpu.so: it is not in' "$soft" true
expect 125 'find the software GPU.*libktail-softgpu.so: it is not in' \
	"$record" --softgpu -o "$scratch/t" -- true
[ ! -e "$scratch/t" ] || {
	echo "FAILED: a folder is left where nothing was recorded"
	failures=$((failures + 1))
}
for odd in 'a blank' 'a:colon' 'a;semicolon'; do
	place "$scratch/$odd"
	expect 125 'does not accept a path with a space' "$scratch/$odd/bin/ktail-softgpu" true
done

[ "$failures" = 0 ] && echo "all as expected"
[ "$failures" = 0 ]
