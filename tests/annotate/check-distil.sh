#!/bin/sh
# SPDX-License-Identifier: MIT
# Tests the phases and --distil of ktail annotate on the command line: several alphabets, every unit
# of words, traces without calls. ktail-render draws the JSON as --distil does, and equal input
# gives equal output.
# Usage: check-distil.sh KTAIL RENDER SVG-CHECK CORPUS GOLDEN
set -u

ktail=$1
render=$2
check=$3
corpus=$4
golden=$5
out=$(mktemp -d)
failures=0
trap 'rm -rf "$out"' EXIT

fail() {
	echo "FAILED: $*"
	failures=$((failures + 1))
}

# distil NAME TRACE [OPTION...]: writes NAME.json, NAME.txt, NAME.svg and the report NAME.report.txt
distil() {
	name=$1
	trace=$2
	shift 2
	"$ktail" "$@" "$trace" -o "$out/m.json" || fail "$name: infer"
	"$ktail" annotate "$out/m.json" "$trace" -o "$out/$name.report.txt" \
		--distil "$out/$name.json" --distil "$out/$name.txt" --distil "$out/$name.svg" \
		2>"$out/err" || fail "$name: annotate: $(cat "$out/err")"
	"$check" "$out/$name.svg" >/dev/null || fail "$name: the drawing"
	"$render" "$out/$name.json" -o "$out/again.svg" || fail "$name: ktail-render"
	cmp "$out/$name.svg" "$out/again.svg" || fail "$name: drawn otherwise by ktail-render"
}

says() {
	grep -q -- "$2" "$out/$1" || fail "$1 does not say '$2'"
}

vadd=$corpus/calls/vadd-4k

distil plain "$vadd" --k 20
says plain.txt '^2191 letters of 1 word, 1 with a known end$'
says plain.txt '^DMA: '
says plain.txt 'user: cuMemcpyHtoD_v2 (2 calls'
says plain.txt '^run: 5 visits$'
says plain.txt 'on to: .*end (1)'
says plain.report.txt 'in a cycle with 186 doorbells'
cp "$out/plain.json" "$out/before.json"
distil plain "$vadd" --k 20
cmp "$out/plain.json" "$out/before.json" || fail "the same gives something else"

# The lines of DMA, run, graph launch and wait depend only on the calls and on the phases of
# letters, so k = 3 gives the same lines as k = 20.
distil small "$vadd" --k 3
for name in DMA run 'graph launch' wait; do
	[ "$(grep "^$name[: ]" "$out/small.txt")" = "$(grep "^$name[: ]" "$out/plain.txt")" ] ||
		fail "k = 3 distils another $name"
done

# In these alphabets no letter is a doorbell, so only the calls give phases.
distil api "$vadd" --k 3 --alphabet api
says api.report.txt 'by structure: none (no letter of this machine is a doorbell'
says api.txt '^run: 1 visit$'
distil methods "$vadd" --k 3 --alphabet methods
says methods.report.txt 'by structure: none'

distil submission "$vadd" --k 3 --alphabet submission
says submission.report.txt 'with 186 doorbells'
distil channels "$vadd" --k 3 --alphabet submission --word channel
says channels.txt ' of 20 words, 20 with a known end$'
distil threads "$vadd" --k 5 --word thread
says threads.txt '^2191 letters of 2 words'

# Without calls, only the structure gives phases.
distil silent "$corpus/traces/vadd-4k" --k 20
says silent.report.txt 'by calls: none'
says silent.json '"calls": false'
says silent.svg 'no calls in the traces'

# whole NAME: in NAME.json, each state of both columns has a way from the first and to the last.
whole() {
	bad=$(jq -r 'def reach($edges): until(. as $s | all($edges[]; (.[0] | IN($s[])) as $in |
			($in | not) or (.[1] | IN($s[]))); . as $s | . + [$edges[] |
			select(.[0] | IN($s[])) | .[1]] | unique);
		(., .system) | (.states | length) as $n | [.transitions[] | [.from, .to]] as $e |
		([0] | reach($e)) as $after | ([$n - 1] | reach([$e[] | [.[1], .[0]]])) as $before |
		.states[] | select(.id | IN($after[]) and IN($before[]) | not) | .name' \
		"$out/$1.json")
	[ -z "$bad" ] || fail "$1: no way from the first state or to the last: $bad"
}

# The lifetime of a buffer, of all traces that are without calls.
if command -v jq >/dev/null; then
	whole plain
	for trace in "$corpus"/traces/*/; do
		"$ktail" --k 3 "$trace" -o "$out/m.json" &&
			"$ktail" annotate "$out/m.json" "$trace" -o "$out/x.txt" \
				--distil "$out/lifetime.json" 2>/dev/null || fail "$trace"
		whole lifetime
		jq -r '.system | .states as $s | .transitions[] |
			select($s[.from].name | endswith("prepared")) |
			"\($s[.from].name) to \($s[.to].name) \(.count)"' "$out/lifetime.json" >>"$out/follow"
	done
	awk '{ n[$1 " " $4] += $5 } END { for (k in n) print k, n[k] }' "$out/follow" | sort >"$out/sums"
	printf 'mlock pinned 125\nmmap mapped 744\n' | cmp - "$out/sums" ||
		fail "what follows prepared: $(cat "$out/sums")"
fi

# The whole file, which ktail-render has as a golden input, too.
(cd "$corpus" && "$ktail" --k 1 calls/vadd-4k -o "$out/m.json" &&
	"$ktail" annotate "$out/m.json" calls/vadd-4k -o "$out/x.txt" --distil "$out/columns.json")
if [ -n "${REGENERATE:-}" ]; then
	cp "$out/columns.json" "$golden/distilled-columns.json"
fi
cmp "$out/columns.json" "$golden/distilled-columns.json" || fail "not distilled-columns.json"

# Own states: the system's column stays as it is.
cat >"$out/states.tsv" <<END
state	start	user	mine
state	quiet	user	mine
state	loud	user	mine
state	stop	user	mine
letter=W:reg	loud	user	a doorbell
-	quiet	user	something else
END
"$ktail" --k 3 "$vadd" -o "$out/m.json"
"$ktail" annotate "$out/m.json" "$vadd" --rules "$out/states.tsv" -o "$out/own.report.txt" \
	--distil "$out/own.txt" || fail "own states"
says own.txt '^loud (not in the figure of 2013): 1012 visits$'
says own.txt '^      186: a doorbell$'
says own.txt '^mmap prepared: 30 visits$'
says own.report.txt 'poll for completion'

# Two traces, of which the machine fits only the first.
"$ktail" --k 20 "$vadd" -o "$out/m.json"
"$ktail" annotate "$out/m.json" "$vadd" "$corpus/calls/graphs-1" --distil "$out/two.txt" \
	--distil "$out/two.json" 2>"$out/err" || fail "two traces"
says two.txt 'letters are not in the machine$'
says two.txt ' of 2 words, 1 with a known end'
"$render" "$out/two.json" -o "$out/two.png" || fail "two traces, drawn"

"$ktail" annotate "$out/m.json" "$vadd" -o "$out/x.txt" --distil "$out/x.dot" \
	--distil "$out/x.gv" || fail "--distil x.dot"
cmp "$out/x.dot" "$out/x.gv" || fail "x.gv is another drawing"
for column in system user; do
	says x.dot "subgraph \"cluster_$column\""
done
dot -Tsvg "$out/x.dot" >"$out/x.svg" && "$check" "$out/x.svg" >/dev/null || fail "Graphviz, x.dot"

[ "$failures" = 0 ]
