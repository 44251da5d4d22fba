#!/bin/bash
# SPDX-License-Identifier: MIT
# A list of ktail policy is complete and minimal: on the software GPU each workload runs if a
# preloaded library enforces exactly its list, and fails at the named need if one entry is removed.
#   check-policy.sh BUILD FILTER
build=$1 filter=$(realpath "$2")
[ -e "$build/lib/ktail-softgpu/libcuda.so.1" ] || { echo 'no software GPU'; exit 77; }
ktail=$build/bin/ktail
# shellcheck source=tests/cli.sh
. "${0%/*}/../cli.sh"
unset KTAIL_SOFTGPU_DRIVER KTAIL_SOFTGPU_TRANSFER
declare -A command=(
	[vadd]='vadd --size 4096 --repeat 3' [copies]='copies --memory pinned --max 65536'
	[streams]='streams --streams 2 --rounds 2' [graphs]='graphs --nodes 10 --launches 3'
	[info]='corpus-info'
	[micro]='microbench --contexts 1 --streams 2 --requests 4 --kind mixed --length 4096')

# enforced LIST NAME: runs workload NAME with LIST enforced
enforced() {
	# shellcheck disable=SC2086,SC2016
	KTAIL_POLICY=$1 timeout 60 "$ktail" softgpu sh -c 'LD_PRELOAD=$0:$LD_PRELOAD exec "$@"' "$filter" \
		"$build/bin/corpus/"${command[$2]} > enforced.out 2> enforced.err
}

removed=0
for name in "${!command[@]}"; do
	for i in 1 2; do
		# shellcheck disable=SC2086
		runs 0 '' record -q --softgpu --api=wrap -o "$name$i" -- "$build/bin/corpus/"${command[$name]}
	done
	runs 0 - policy "${name}1" -o "$name.tsv" -o "$name.json" -o "$name.txt"
	enforced "$name.tsv" "$name" || fail "$name with its list: $(cat enforced.err)"
	grep -q 'refused' enforced.err && fail "$name with its list: $(grep refused enforced.err)"
	# The list also covers a second recording, from which it was not made.
	runs 0 - policy --check "$name.json" "${name}2"

	# Without an entry, the first refused access is the one that the entry names.
	while IFS='|' read -r kind device number; do
		# The filter ignores spaces and sizes of requests, so all entries that are
		# otherwise equal are removed together.
		awk -F'\t' -v k="$kind" -v d="$device" -v n="$number" \
			'!($1 == k && $2 == d && $3 == n)' "$name.tsv" > less.tsv
		enforced less.tsv "$name"
		status=$?
		first=$(grep -m1 refused enforced.err)
		want="refused: $kind $device ${number:-0x0}"
		[ "${first#*: }" = "$want" ] || fail "$name without $kind $device $number: '$first', not '$want'"
		# Programs do not fail if a release of a resource is refused.
		case "$kind $number" in
		'request 0x29' | 'request 0x4f' | 'uvm 0x1c' | 'uvm 0x22') ;;
		*) [ $status != 0 ] || fail "$name works without $kind $device $number" ;;
		esac
		removed=$((removed + 1))
	done < <(awk -F'\t' 'NR > 1 && !($1 == "map" && $2 == "") && !seen[$1, $2, $3]++ {
		print $1 "|" $2 "|" $3 }' "$name.tsv")
done

# --check reports which need is missing, and the call in which a program would stop.
python3 - <<'EOF'
import json
policy = json.load(open('vadd.json'))
policy['needs'] = [n for n in policy['needs'] if n.get('name') != 'NVA06C_CTRL_CMD_GPFIFO_SCHEDULE']
json.dump(policy, open('less.json', 'w'))
EOF
"$ktail" policy --check less.json vadd1 graphs1 copies1 > stdout 2> stderr
[ $? = 1 ] || fail 'a list without a need passes'
tr -s ' \n' ' ' < stderr > flat
grep -q 'vadd1: 1 of its needs is not in the list; it would stop at control 0xa06c0101 NVA06C_CTRL_CMD_GPFIFO_SCHEDULE in cuDevicePrimaryCtxRetain, 0\.' flat ||
	fail "check: $(cat flat)"
grep -q '^control .*GPFIFO_SCHEDULE' stdout || fail "check, table: $(cat stdout)"

# A merged list covers the needs of its parts; the list of a recording covers the needs of the
# machine and the words made of the recording.
runs 0 - policy vadd.json graphs1 -o both.json
runs 0 - policy --check both.json vadd1 graphs2
runs 0 '' --k 3 --alphabet rm vadd1 -o vadd-fsm.json
runs 0 - policy --check vadd.json vadd-fsm.json
runs 0 '' words --alphabet rm vadd1 -o words
runs 0 - policy --check vadd.json words
runs 0 '' --k 3 vadd1 -o table1.json
runs 2 'table1.json: its letters do not distinguish controls and classes; use --alphabet rm' policy table1.json

# Other forms.
runs 0 - policy -f nvproxy vadd1
grep -q '^nvgpu.NV_ESC_RM_ALLOC, // 0x2b, [0-9]* calls, first in cuInit$' stdout || fail "nvproxy: $(cat stdout)"
runs 0 - policy -f seccomp vadd1
python3 - <<'EOF' || fail "seccomp: $(cat stdout)"
import json
rules = json.load(open('stdout'))
values = {rule['args'][0]['valueTwo'] for rule in rules['syscalls']}
assert 0xc020462a in values and 0x30000001 in values, values
assert any('GPFIFO_SCHEDULE' in line for line in rules['comment'])
EOF
runs 2 'a filter cannot express [0-9]* of the [0-9]* needs' policy -f seccomp --exact vadd1
runs 2 -- '--exact needs -f seccomp' policy --exact vadd1
runs 2 'no input given' policy
runs 2 'absent.json' policy --check absent.json vadd1
echo '{"format": "ktail-policy/1", "needs": [{"kind": "wish"}]}' > bad.json
runs 3 'bad.json: need 0: "kind" is not a kind of needs' policy bad.json
[ $failures = 0 ] && echo "$removed entries taken out, all missed at the named need"
[ $failures = 0 ]
