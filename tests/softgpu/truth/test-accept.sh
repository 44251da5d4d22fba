#!/bin/sh
# SPDX-License-Identifier: MIT
# Records every single-threaded workload of recordings.tsv on the software GPU, with both
# versions of its driver and every transfer method: the truth must accept every word, and the
# workloads together must reach every program point, in letters of table1 and of roles. Prints the
# tables of coverage. Words of random calls must be accepted too, but do not count as coverage.
# Usage: test-accept.sh BUILD SOURCE OUT [VERSION:TRANSFER]...
set -u
build=$1
source=$2
out=$3
shift 3
# The driver's version affects only graphs, so not every transfer method needs both versions.
[ $# -gt 0 ] || set -- 2:dma 1:dma 2:mapped 2:window 2:chunk1 2:chunk4 1:chunk4
softgpu=$build/lib/ktail-softgpu
failures=0
for needed in "$softgpu/libktail-softgpu.so" "$softgpu/libcuda.so.1"; do
	[ -e "$needed" ] || {
		echo "no $needed"
		exit 77
	}
done
rm -rf "$out"
mkdir -p "$out" || exit 1

fail() {
	echo "FAIL: $*"
	failures=$((failures + 1))
}

# record FOLDER NAME WORKLOAD ARGUMENT...: writes a trace to FOLDER/NAME and its words in letters of
# table1 and roles to FOLDER/words and FOLDER/roles.
record() {
	folder=$1
	name=$2
	program=$build/bin/corpus/$3
	shift 3
	LD_LIBRARY_PATH=$softgpu timeout 120 "$build/bin/ktail-record" \
		--subbuf-size 262144 --num-subbuf 4 --lossless -o "$folder/$name" -- \
		env LD_PRELOAD="$build/lib/libktail-record.so:$softgpu/libktail-softgpu.so" \
		"$program" "$@" >"$folder/$name.out" 2>"$folder/$name.err" || {
		fail "$name: status $?"
		cat "$folder/$name.out" "$folder/$name.err"
		return
	}
	grep -q ' 0 lost' "$folder/$name.err" || {
		fail "$name: events are lost"
		cat "$folder/$name.err"
	}
	"$build/bin/ktail" words --strict "$folder/$name" -o "$folder/$name-words" ||
		fail "$name: ktail words"
	cp "$folder/$name-words"/*.events "$folder/words" || fail "$name: no words"
	"$build/bin/ktail" words --strict --alphabet roles "$folder/$name" -o "$folder/$name-roles" &&
		cp "$folder/$name-roles"/*.events "$folder/roles" || fail "$name: no words of roles"
}

# compare FOLDER: compares its recordings with those of an H200.
compare() {
	# shellcheck disable=SC2046 # names of recordings have no blanks
	"$source/corpus/softgpu/compare-cycles.sh" --ktail "$build/bin/ktail" \
		"$source"/corpus/traces/* -- $(find "$1" -mindepth 1 -maxdepth 1 -type d \
		! -name '*words' ! -name '*roles' ! -name random) >"$1/cycles.txt" ||
		fail "$1: the model submits as no H200 does"
	cat "$1/cycles.txt"
	grep -q '^letters that MODEL alone has: none$' "$1/cycles.txt" ||
		fail "$1: the model has letters of its own"
	sed -n 's/^letters that REAL alone has: //p' "$1/cycles.txt" | tr ' ' '\n' | sort \
		>"$1/letters.txt"
	sed -n '/^\*\*Letters that only the real driver has/,/^\*\*Letters that only this/p' \
		"$source/corpus/softgpu/README.md" | sed -n 's/^| \(`[^|]*\) |.*/\1/p' |
		tr -d '`,' | tr ' ' '\n' | grep . | sort >"$1/said.txt"
	diff "$1/said.txt" "$1/letters.txt" || fail "$1: README.md names other letters"
}

# cover FOLDER ALPHABET WORDS TRUTH: makes FOLDER/TRUTH.json in letters of the alphabet, which must
# accept all of FOLDER/WORDS.
cover() {
	"$build/bin/make-truth" --set version="$version" --set transfer="$transfer" --alphabet "$2" \
		"$source/corpus/softgpu/truth/driver.points" -o "$1/$4.json" || fail "$kind: make-truth"
	echo "== version $version, transfer by $transfer, letters of $2"
	"$build/bin/check-truth" "$1/$4.json" "$1/$3" >"$1/$4.txt"
	status=$?
	sed '/^transitions not covered:/,$d' "$1/$4.txt"
	[ "$status" -eq 0 ] || fail "$kind: not every word of $2 is accepted"
	# Transitions depend on timing and order; every point is reached by some workload.
	"$build/bin/check-truth" --tsv "$1/$4.json" "$1/$3" >"$1/$4.tsv"
	! grep '^point	' "$1/$4.tsv" || fail "$kind: program points are not covered in letters of $2"
	words=$(find "$1/$3" -name '*.events' | wc -l)
	rows=$(grep -c '^[a-z]' "$source/corpus/recordings.tsv")
	[ "$words" -ge "$rows" ] || fail "$kind: $words words of $rows recordings"
}

# accept RANDOM WORDS TRUTH: all words of random calls must be accepted.
accept() {
	"$build/bin/check-truth" "${1%/random}/$3.json" "$1/$2" >"$1-$2.txt" || {
		fail "$kind: not every word of random calls is accepted by $3.json"
		head -n 20 "$1-$2.txt"
	}
	words=$(find "$1/$2" -name '*.events' | wc -l)
	[ "$words" -eq 6 ] || fail "$kind: $words words of 6 random recordings"
}

# record_all FOLDER PREFIX: records the single-threaded workloads, as PREFIX and their names.
record_all() {
	while IFS=$tab read -r name _ command <&3; do
		case $name in
		'' | '#'*) continue ;;
		esac
		case $command in
		*--threads*) continue ;;
		esac
		# shellcheck disable=SC2086
		record "$1" "$2$name" $command
	done 3<"$source/corpus/recordings.tsv"
}

# points_left FOLDER ALPHABET WORDS: whether FOLDER/WORDS leave points of the truth in letters of the
# alphabet uncovered.
points_left() {
	"$build/bin/make-truth" --set version="$version" --set transfer="$transfer" --alphabet "$2" \
		"$source/corpus/softgpu/truth/driver.points" -o "$1/left.json" || return
	"$build/bin/check-truth" --tsv "$1/left.json" "$1/$3" | grep -q '^point	'
}

tab=$(printf '\t')
for kind in "$@"; do
	version=${kind%%:*}
	transfer=${kind#*:}
	folder=$out/version-$version-$transfer
	mkdir -p "$folder/words" "$folder/roles"
	KTAIL_SOFTGPU_DRIVER=$version
	KTAIL_SOFTGPU_TRANSFER=$transfer
	export KTAIL_SOFTGPU_DRIVER KTAIL_SOFTGPU_TRANSFER
	record_all "$folder" ''
	# A busy machine may run the device so early that no workload waits for it.
	for again in 1 2; do
		points_left "$folder" table1 words || points_left "$folder" roles roles || break
		record_all "$folder" "again-$again-"
	done
	cover "$folder" table1 words truth
	cover "$folder" roles roles truth-roles
	case $transfer in
	dma) compare "$folder" ;;
	esac
	random=$folder/random # record creates this folder
	mkdir -p "$random/words" "$random/roles"
	for seed in 1 2 3; do
		record "$random" one-context-$seed random-calls $seed 300 1 1
		record "$random" three-contexts-$seed random-calls $seed 300 1 3
	done
	accept "$random" words truth
	accept "$random" roles truth-roles
done
[ "$failures" -eq 0 ]
