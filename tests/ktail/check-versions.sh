#!/bin/bash
# SPDX-License-Identifier: MIT
# Tests that the trace, its words, its k-grams and its machine contain the versions with which a
# program was recorded, and that `ktail diff` shows differences. Words of different versions in
# one machine give a warning.
#   check-versions.sh BUILD
build=$1
ktail=$build/bin/ktail
libcuda=$build/lib/ktail-softgpu/libcuda.so.1
[ -e "$libcuda" ] || { echo "no $libcuda"; exit 77; }
# shellcheck source=tests/cli.sh
. "${0%/*}/../cli.sh"
export CUDA_LAUNCH_BLOCKING=1

record() { # NAME WORKLOAD RECORD-OPTION...
	local name=$1 workload=$2
	shift 2
	timeout 120 "$ktail" record --softgpu "$@" -o "$name" -- "$build/bin/corpus/$workload" --size 4096 \
		> record.out 2>&1 || { cat record.out; fail "record $name"; exit 1; }
}

# has FILE.json WHAT MEMBER...: checks that the machine's row of WHAT has each member
has() {
	local file=$1 row
	row=$(grep "{\"what\": \"$2\"" "$file") || { fail "$file: no $2"; return; }
	shift 2
	for member in "$@"; do
		grep -qF "$member" <<< "$row" || fail "$file: not $member: $row"
	done
}

record one vadd
record two graphs --softgpu-driver 1 --access=exact

# --- the trace, and the machine ---
runs 0 '' --k 20 one -o one.json
id=$(readelf -n "$libcuda" | sed -n 's/.*Build ID: \([0-9a-f]*\).*/\1/p')
[ -n "$id" ] || fail "no build id"
has one.json libcuda "\"id\": \"$id\"" "\"detail\": \"$(readlink -f "$libcuda")\""
has one.json module '"version": "580.159.04"' '(ktail software GPU)'
has one.json gpu '"version": "ktail software GPU"'
has one.json kernel "\"version\": \"$(uname -r)\""
has one.json command "$build/bin/corpus/vadd --size 4096"
has one.json environment '"CUDA_LAUNCH_BLOCKING=1"' '"KTAIL_SOFTGPU_DRIVER=2"'
has one.json recorder '"version": "ktail ' 'access=coalesced ' ' api=none '
grep -q '"what": "recorder".*"id": "' one.json || fail "the recorder has no commit"
[ "$(babeltrace2 one | grep -c 'gpu_stack:version: .* what = "libcuda"')" = 1 ] ||
	fail "libcuda is reported more than once"
# Reading and writing the machine loses nothing.
runs 0 - convert one.json -o again.json
same one.json again.json

# --- a trace of the kernel, which has no events `version` ---
babeltrace2 one --component=sink.ctf.fs -p 'path="copy"' -p 'quiet=true' || fail "copy the trace"
metadata=$(find copy -name metadata)
sed -i 's/"gpu_stack:version"/"gpu_stack:hidden"/; s/"lttng-ust"/"lttng-modules"/
	s/tracer_minor = .*/tracer_minor = 13;\n\ttracer_patchlevel = 9;\n\tkernel_release = "6.1.0-56-amd64";/' "$metadata"
runs 0 '' --k 20 copy -o kernel.json
has kernel.json kernel '"version": "6.1.0-56-amd64"'
has kernel.json lttng-modules '"version": "2.13.9"'
has kernel.json module '"version": "580.159.04"'
has kernel.json recorder '"version": "ktail '
# What events `version` say comes first.
sed -i 's/"gpu_stack:hidden"/"gpu_stack:version"/' "$metadata"
runs 0 '' --k 20 copy -o both.json
has both.json kernel "\"version\": \"$(uname -r)\""
has both.json lttng-modules '"version": "2.13.9"'
[ "$(grep -c '{"what": "kernel"' both.json)" = 1 ] || fail "two kernels"
runs 0 '' diff kernel.json one.json -o diff.txt
grep -qx "  Linux: 6.1.0-56-amd64 -> $(uname -r)" diff.txt || fail "kernels: $(head -8 diff.txt)"

# --- words, k-grams ---
versions() { sed -n '/"versions": \[/,/^  \],/p' "$1"; }
runs 0 - words one -o words
runs 0 '' --k 20 words/*.events -o words.json
same <(versions one.json) <(versions words.json)
runs 0 - words words/*.events -o again
same words/*.events again/*.events
runs 0 - --k 20 one -o one.kgrams
runs 0 '' merge one.kgrams -o merged.json
same <(versions one.json) <(versions merged.json)
sed 's/^#ktail version libcuda.*/#ktail version libcuda\t2\tab12\tx/' words/*.events > other.events
printf '#ktail version \n' > bad.events
runs 3 'bad.events:1: expected texts without control characters, divided by tabs' --k 1 bad.events
# A word keeps its own versions among words with other versions.
runs 0 "different versions of libcuda: 2 (ab12), softgpu-2 (${id:0:13})" words words/*.events other.events -o both
same words/*.events both/*vadd.0.events
grep -q '^#ktail version libcuda	2	ab12	x$' both/*~2.events || fail "versions of the other word"
[ "$(grep -c '^#ktail version libcuda' both/*~2.events)" = 1 ] || fail "versions of both words"

# --- warnings and differences ---
runs 0 'the words were recorded with different --access' --k 5 one two -o mixed.json
runs 1 'accesses were recorded in other ways (old: exact, new: coalesced)' diff --k 5 two one -o diff.txt
grep -qx 'Recorded with:' diff.txt && grep -qx '  accesses: exact -> coalesced' diff.txt ||
	fail "accesses: $(head -8 diff.txt)"
grep -qx '  environment: KTAIL_SOFTGPU_DRIVER=1 -> 2' diff.txt || fail "environment: $(head -8 diff.txt)"
# A report tells command lines and environment only with --with-data.
runs 0 'accesses were recorded in other ways' report -f json --old two --new one -o two-report.json
grep -q 'KTAIL_SOFTGPU_DRIVER\|bin/corpus' two-report.json && fail "a report tells the environment"
runs 0 'accesses were recorded in other ways' report -f json --with-data --old two --new one -o two-report.json
grep -q 'environment: KTAIL_SOFTGPU_DRIVER=1 ' two-report.json || fail "a report with data"
runs 0 - diff one.json one.json -o same.txt
grep -q '^Recorded with the same libcuda, kernel module, GPU, ' same.txt || fail "same: $(head -5 same.txt)"
sed "s/$id/ab12/" one.json > built.json
runs 0 - diff one.json built.json -o built.txt
grep -qx "  libcuda: softgpu-2 (${id:0:13}) -> softgpu-2 (ab12)" built.txt || fail "builds: $(head -5 built.txt)"
sed '/"what": "gpu"/s/ktail software GPU/NVIDIA H100/' one.json > gpu.json
runs 0 'the old side was recorded on the software GPU, the other was not' diff one.json gpu.json
runs 0 - --k 20 one -o one.svg
grep -q 'kernel module 580.159.04' one.svg && grep -q 'libcuda softgpu&#45;2' one.svg || fail "the picture does not name versions"
[ $failures = 0 ]
