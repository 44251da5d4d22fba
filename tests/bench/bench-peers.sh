#!/bin/bash
# SPDX-License-Identifier: MIT
# Compares ktail with AALpy (run_k_tails) and FlexFringe (--origktail), if installed, for
# the same words and k. Prints the table that docs/results/peers.md describes.
#   bench-peers.sh BUILD-FOLDER [-k "K..."] [-n "LETTERS..."] [-t SECONDS] [TRACE...]
# TRACE is what ktail reads: a folder, .events, .dat; without one, words are made up.
# $PYTHON (default python3) runs AALpy; $FLEXFRINGE (default flexfringe) is FlexFringe.
here=$(dirname "$(readlink -f "$0")")
build=$(readlink -f "$1") ks='2 5' sizes='1000 10000 100000' limit=60
usage() {
	sed -n '3,8s/^# \?//p' "$0" >&2
	exit 2
}
[ $# -ge 1 ] && shift || usage
while getopts k:n:t: option; do
	case $option in
	k) ks=$OPTARG ;;
	n) sizes=$OPTARG ;;
	t) limit=$OPTARG ;;
	*) usage ;;
	esac
done
shift $((OPTIND - 1))
ktail=$build/bin/ktail python=${PYTHON:-python3} flexfringe=${FLEXFRINGE:-flexfringe}
[ -x "$ktail" ] || { echo "bench-peers.sh: $ktail: no such program" >&2; exit 2; }
command -v "$python" > /dev/null || { echo "bench-peers.sh: $python: no such program" >&2; exit 2; }
"$python" -c 'from aalpy.learning_algs import run_k_tails' 2> /dev/null && aalpy=yes || aalpy=
export PYTHONDONTWRITEBYTECODE=1
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT

# measured COMMAND...: prints how the command ended, its seconds, CPU seconds and MiB
measured() {
	"$build/bin/measure-command" "$limit" "$@" 2> "$out/stderr"
}

# sizes_of MACHINE: prints the numbers of states and transitions; in fsm.json each has its own line
sizes_of() {
	"$ktail" convert "$1" -o "$out/sizes.json" 2>> "$out/stderr" &&
		printf '%s\t%s' "$(grep -c '^    {"id"' "$out/sizes.json")" "$(grep -c '^    {"from"' "$out/sizes.json")"
}

# language MACHINE: prints whether the machine has the language of $out/reference.json
language() {
	"$ktail" help diff > /dev/null 2>&1 && [ -e "$out/reference.json" ] || { echo -; return; }
	timeout "$limit" "$ktail" diff "$out/reference.json" "$1" > /dev/null 2>> "$out/stderr"
	case $? in
	0) echo same ;;
	1) echo other ;;
	*) echo - ;;
	esac
}

# row NAME K TOOL RESULT [MACHINE]
row() {
	local sizes=$'-\t-' language=-
	case $4 in
	done*) sizes=$(sizes_of "$5") && language=$(language "$5") || sizes=$'?\t?' ;;
	failed*) echo "bench-peers.sh: $3 on $1, k = $2:" >&2; tail -3 "$out/stderr" >&2 ;;
	esac
	printf '%s\t%s\t%s\t%s\t%s\t%s\n' "$1" "$2" "$3" "$4" "$sizes" "$language"
}

run_ktail() {
	local name=$1 words=$2 k=$3 kind
	rm -f "$out/reference.json"
	for kind in pta chains; do
		"$ktail" --k 1 --machine $kind "$out/probe.events" -o "$out/probe.json" 2> /dev/null || continue
		result=$(measured "$ktail" --k "$k" --machine $kind "$words" -o "$out/$kind.json")
		# The reference is ktail's machine from a prefix tree, because the peers also
		# start from a prefix tree.
		[ -e "$out/reference.json" ] || [ ! -e "$out/$kind.json" ] || cp "$out/$kind.json" "$out/reference.json"
		row "$name" "$k" "ktail ($kind)" "$result" "$out/$kind.json"
		rm -f "$out/$kind.json"
	done
}

run_aalpy() {
	local name=$1 words=$2 k=$3
	if [ -z "$aalpy" ]; then
		row "$name" "$k" AALpy $'not installed\t-\t-\t-'
		return
	fi
	result=$(measured "$python" "$here/peers/learn_aalpy.py" "$k" "$words" "$out/aalpy.gv")
	row "$name" "$k" AALpy "$result" "$out/aalpy.gv"
	rm -f "$out/aalpy.gv"
}

run_flexfringe() {
	local name=$1 words=$2 k=$3
	if ! command -v "$flexfringe" > /dev/null; then
		row "$name" "$k" FlexFringe $'not installed\t-\t-\t-'
		return
	fi
	result=$(cd "$out" && measured "$flexfringe" --mode=batch --heuristic-name=count_driven \
		--data-name=count_data --sinkson=0 --origktail="$k" --output=json \
		--outputfile="$out/ff" "$words")
	case $result in
	done*) "$python" "$here/peers/take_flexfringe.py" "$out/ff.final.json" "$out/ff.gv" 2>> "$out/stderr" ;;
	esac
	row "$name" "$k" FlexFringe "$result" "$out/ff.gv"
	rm -f "$out"/ff.*
}

printf 'a\n' > "$out/probe.events"
if [ $# -gt 0 ]; then
	"$ktail" words "$@" -o "$out/all.dat" || exit
fi
printf 'letters\tk\ttool\tresult\tseconds\tcpu\tMiB\tstates\ttransitions\tlanguage\n'
for n in $sizes; do
	if [ $# -gt 0 ]; then
		"$python" "$here/peers/make_words.py" cut "$out/all.dat" "$n" "$out/words.dat" || exit
	else
		"$python" "$here/peers/make_words.py" make "$n" "$out/words.dat" || exit
	fi
	letters=$(awk 'NR > 1 { n += $2 } END { print n + 0 }' "$out/words.dat")
	for k in $ks; do
		run_ktail "$letters" "$out/words.dat" "$k"
		run_aalpy "$letters" "$out/words.dat" "$k"
		run_flexfringe "$letters" "$out/words.dat" "$k"
	done
	[ "$letters" -ge "$n" ] || break # the words have no more letters
done
