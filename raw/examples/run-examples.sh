#!/bin/sh
# SPDX-License-Identifier: MIT
# Runs the examples of `ktail raw` on this machine's GPU, then times inline data and the copy engine
# by semaphores with timestamps, and prints a table.
set -u

here=$(cd "$(dirname "$0")" && pwd) || exit 2
ktail=${KTAIL:-ktail} rounds=21 max=33554432 softgpu='' errors='' out=''

usage() {
	cat <<'TEXT'
usage: raw/examples/run-examples.sh [options]

Runs the scripts of this folder by `ktail raw`, says for each whether memory was as it expects, and
prints a table of transfers that are submitted without CUDA: for each size the median and the least
time of the engine, between the timestamps of two semaphores that it releases before and after.

options:
  --ktail PROGRAM   ktail (default: $KTAIL, or ktail on PATH)
  --rounds N        submissions of each size (default 21)
  --max BYTES       the largest copy by the copy engine (default 33554432)
  --errors          also submit commands with errors, each of which ends its process's channel
  --softgpu         run on the software GPU, where times mean nothing
  --out FILE.tsv    also write the table to a file
  --help            print this and exit

exit status: 0 done; 1 memory was not as expected, or an error was not reported; 2 it did not run.
TEXT
}

fail() {
	echo "run-examples.sh: $*" >&2
	exit 2
}

while [ $# -gt 0 ]; do
	case $1 in
	--help) usage; exit 0 ;;
	--errors) errors=1 ;;
	--softgpu) softgpu=1 ;;
	--ktail | --rounds | --max | --out)
		[ $# -ge 2 ] || fail "$1 needs an argument"
		case $1 in
		--ktail) ktail=$2 ;;
		--rounds) rounds=$2 ;;
		--max) max=$2 ;;
		--out) out=$2 ;;
		esac
		shift ;;
	*) usage >&2; exit 2 ;;
	esac
	shift
done
case "$rounds$max" in *[!0-9]*) fail "--rounds and --max are numbers" ;; esac
[ "$rounds" -ge 1 ] || fail "--rounds is at least 1"
command -v "$ktail" >/dev/null || fail "no program $ktail; give --ktail"

work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
trap 'exit 143' INT TERM HUP

# Runs a script, with options before it; its output goes to $work/got, its messages to $work/said.
raw() {
	if [ -n "$softgpu" ]; then
		"$ktail" softgpu "$ktail" raw "$@" >"$work/got" 2>"$work/said"
	else
		"$ktail" raw "$@" >"$work/got" 2>"$work/said"
	fi
}

# --- the examples ---

status=0
for script in "$here"/*.raw; do
	if raw "$script"; then
		echo "$(basename "$script"): as expected; $(grep '^channel' "$work/got")"
	else
		code=$?
		echo "$(basename "$script"): status $code"
		sed 's/^/  /' "$work/got" "$work/said"
		[ "$code" = 1 ] || [ "$status" = 2 ] || status=2
		[ "$code" != 1 ] || [ "$status" != 0 ] || status=1
	fi
done
[ "$status" != 2 ] || exit 2

# --- times ---

# Semaphores: 16 bytes at $s+32*i before, and at $s+32*i+16 after the transfer of round i.
compute_release() { # ADDRESS PAYLOAD FLUSH_DISABLE
	echo "1 HOPPER_COMPUTE_A SET_REPORT_SEMAPHORE_A = $1
1 HOPPER_COMPUTE_A SET_REPORT_SEMAPHORE_B = $1
1 HOPPER_COMPUTE_A SET_REPORT_SEMAPHORE_C = $2
1 HOPPER_COMPUTE_A SET_REPORT_SEMAPHORE_D
	OPERATION = RELEASE
	FLUSH_DISABLE = $3
	STRUCTURE_SIZE = FOUR_WORDS"
}

copy_release() { # ADDRESS PAYLOAD
	echo "4 HOPPER_DMA_COPY_A SET_SEMAPHORE_A = $1
4 HOPPER_DMA_COPY_A SET_SEMAPHORE_B = $1
4 HOPPER_DMA_COPY_A SET_SEMAPHORE_PAYLOAD = $2
4 HOPPER_DMA_COPY_A LAUNCH_DMA
	SEMAPHORE_TYPE = RELEASE_FOUR_WORD_SEMAPHORE
	FLUSH_ENABLE = TRUE"
}

inline_script() { # BYTES FLUSH_DISABLE
	echo "buffer s $((rounds * 32)) host
buffer to $1"
	i=0
	while [ $i -lt "$rounds" ]; do
		echo doorbell
		compute_release "\$s+$((32 * i))" 1 "$2"
		echo "1 HOPPER_COMPUTE_A LINE_LENGTH_IN = $1
1 HOPPER_COMPUTE_A LINE_COUNT = 1
1 HOPPER_COMPUTE_A OFFSET_OUT_UPPER = \$to
1 HOPPER_COMPUTE_A OFFSET_OUT = \$to
1 HOPPER_COMPUTE_A LAUNCH_DMA = 0x41
1 HOPPER_COMPUTE_A LOAD_INLINE_DATA = $i"
		[ "$1" = 4 ] || awk -v n=$(($1 / 4 - 1)) 'BEGIN { for (i = 0; i < n; i++) printf "%08x%s", i, i % 8 == 7 || i + 1 == n ? "\n" : " " }'
		compute_release "\$s+$((32 * i + 16))" 2 "$2"
		echo wait
		i=$((i + 1))
	done
	echo "expect \$to $((rounds - 1))
print \$s $((rounds * 32))"
}

copy_script() { # BYTES FROM TO
	echo "buffer s $((rounds * 32)) host
buffer from $1 $2
buffer to $1 $3
fill \$from $1 index"
	i=0
	while [ $i -lt "$rounds" ]; do
		echo doorbell
		copy_release "\$s+$((32 * i))" 1
		echo "4 HOPPER_DMA_COPY_A OFFSET_IN_UPPER = \$from
4 HOPPER_DMA_COPY_A OFFSET_IN_LOWER = \$from
4 HOPPER_DMA_COPY_A OFFSET_OUT_UPPER = \$to
4 HOPPER_DMA_COPY_A OFFSET_OUT_LOWER = \$to
4 HOPPER_DMA_COPY_A LINE_LENGTH_IN = $1
4 HOPPER_DMA_COPY_A SET_SEMAPHORE_A = \$s+$((32 * i + 16))
4 HOPPER_DMA_COPY_A SET_SEMAPHORE_B = \$s+$((32 * i + 16))
4 HOPPER_DMA_COPY_A SET_SEMAPHORE_PAYLOAD = 2
4 HOPPER_DMA_COPY_A LAUNCH_DMA
	SRC_MEMORY_LAYOUT = PITCH
	DST_MEMORY_LAYOUT = PITCH
	SEMAPHORE_TYPE = RELEASE_FOUR_WORD_SEMAPHORE
	FLUSH_ENABLE = TRUE
	DATA_TRANSFER_TYPE = NON_PIPELINED
wait"
		i=$((i + 1))
	done
	echo "same \$from \$to $1
print \$s $((rounds * 32))"
}

# Prints a row of the table from $work/got: median and least time, and the median's GB/s.
row() { # METHOD DIRECTION BYTES
	awk -v method="$1" -v direction="$2" -v bytes="$3" '
	function number(digits,    i, n) {
		for (i = 1; i <= 8; i++) n = n * 16 + index("123456789abcdef", substr(digits, i, 1))
		return n
	}
	# Payload, 0, low and high half of the time; twice in a line. Times are shorter than 4 s.
	/^\$s\+/ {
		d = number($8) - number($4)
		print d < 0 ? d + 4294967296 : d
	}' "$work/got" | sort -n | awk -v method="$1" -v direction="$2" -v bytes="$3" '
	{ t[NR] = $1 }
	END {
		m = t[int((NR + 1) / 2)]
		printf "%s\t%s\t%d\t%d\t%d\t%s\n", method, direction, bytes, m, t[1], (m > 0 ? sprintf("%.3f", bytes / m) : "-")
	}'
}

time_one() { # METHOD DIRECTION BYTES: times the script in $work/script.raw
	if raw "$work/script.raw"; then
		row "$@" >>"$work/table"
	else
		echo "$1 $2 $3: $(cat "$work/said")"
		status=1
	fi
}

printf 'method\tdirection\tbytes\tmedian_ns\tleast_ns\tgb_s\n' >"$work/table"
# With a flush, the second semaphore is released when the data have arrived in memory.
for method in inline inline-flush; do
	bytes=4
	while [ $bytes -le 8192 ]; do
		case $method in
		inline) inline_script $bytes TRUE ;;
		*) inline_script $bytes FALSE ;;
		esac >"$work/script.raw"
		time_one $method to-device $bytes
		bytes=$((bytes * 2))
	done
done
for direction in to-device to-host; do
	bytes=8
	while [ $bytes -le "$max" ]; do
		case $direction in
		to-device) copy_script $bytes host device ;;
		*) copy_script $bytes device host ;;
		esac >"$work/script.raw"
		time_one copy-engine $direction $bytes
		bytes=$((bytes * 4))
	done
done
awk -F '\t' '{ printf "%-12s %-10s %9s %10s %10s %9s\n", $1, $2, $3, $4, $5, $6 }' "$work/table"
[ -z "$out" ] || cp "$work/table" "$out" || exit 2

# --- errors ---

# A copy from an address that is not mapped, an unknown method, a host method for the kernel.
expect_error() { # NUMBER
	raw --force --timeout 5000 "$work/script.raw"
	if grep -q "is dead: error $1," "$work/said"; then
		echo "error $1 was reported: $(tail -n 1 "$work/said")"
	else
		echo "error $1 was not reported: $(cat "$work/got" "$work/said")"
		status=1
	fi
}
if [ -n "$errors" ]; then
	copy_script 16 host device | sed 's/^\(4 .*OFFSET_IN_UPPER =\).*/\1 0/; s/^\(4 .*OFFSET_IN_LOWER =\).*/\1 0x1000/' >"$work/script.raw"
	expect_error 31
	echo '1 HOPPER_COMPUTE_A 0x3000 = 0' >"$work/script.raw"
	expect_error 11
	printf 'PB HDR INC count=1 subch=7 addr_dw=0x100\n00000000\n' >"$work/script.raw"
	expect_error 32
fi
exit $status
