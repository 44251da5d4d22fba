#!/bin/sh
# SPDX-License-Identifier: MIT
# Compares the outputs of two builds byte for byte: words, machines, drawings, listings,
# statistics, labels, differences and error messages for the traces of the corpus. Use it for
# changes that must not change any output.
# Usage: same-outputs.sh OLD-BUILD NEW-BUILD [DIR]     DIR: keeps the outputs
# Exit status: 0 if they are the same, else 1; the differences are on standard output
set -eu

[ $# -ge 2 ] || { sed -n 's/^# Usage: /usage: /p' "$0" >&2; exit 2; }
root=$(cd "$(dirname "$0")/.." && pwd)
old=$(cd "$1" && pwd)
new=$(cd "$2" && pwd)
if [ $# -gt 2 ]; then
	mkdir -p "$3"
	kept=$(cd "$3" && pwd)
else
	kept=$(mktemp -d)
	trap 'rm -rf "$kept"' EXIT
fi

# Runs one command and keeps its output, its error messages and its status. ktail is in
# $PATH.
run() { # NAME COMMAND...
	out=$1
	shift
	status=0
	"$@" >"$out.out" 2>"$out.err" || status=$?
	echo "$status" >"$out.status"
}

of_trace() { # TRACE: writes the outputs for one trace to the current folder
	run words ktail words "$1" -o words
	run words-rm ktail words -a rm "$1" -o words-rm
	run words-methods ktail words -a methods -w channel "$1" -o words-methods
	run words-submission ktail words -a submission -w thread "$1" -o words-submission
	run infer ktail --k 20 "$1" -o fsm.json -o fsm.dot -o fsm.graphml -o fsm.svg
	run infer-pta ktail --k 3 -m pta "$1" -o pta.json
	run infer-auto ktail -k auto -a rm "$1" -o auto.json
	run sweep ktail sweep --k 0-30 "$1" -o sweep.tsv -o sweep.json
	run annotate ktail annotate fsm.json "$1" -o labels.json -o labels.txt -o labels.svg \
		--occurrences occurrences.tsv --distil distilled.json --distil distilled.txt \
		--requests requests.tsv --requests requests.json --pairs pairs.tsv --pairs pairs.txt
	run distil ktail annotate pta.json "$1" --distil distilled.svg
	run decode ktail decode "$1"
	run decode-json ktail decode -f json --qmd "$1"
	run decode-brief ktail decode --brief "$1"
	run decode-stats ktail decode --stats "$1"
	run ioctls ktail decode --ioctls "$1"
	run ioctls-json ktail decode --ioctls -f json "$1"
	run ioctls-stats ktail decode --ioctls --stats "$1"
	run stats ktail stats "$1" -o stats.json -o stats.csv
	run stats-channel ktail stats --by channel --wide "$1"
	run stats-class ktail stats --by class -f tsv "$1"
	run stats-coverage ktail stats --coverage "$1"
	run stats-fit ktail stats --fit launch "$1"
	run check ktail check fsm.json "$1" -o check.json
	run check-rm ktail check --all auto.json "$1"
	run convert ktail convert fsm.json -o again.graphml -o again.gv -o again.json
	run kgrams ktail --k 4 "$1" --kgrams part.kgrams
	run merge ktail merge part.kgrams -o merged.json
}

# Outputs for a pair of traces.
of_two() { # TRACE OTHER
	run diff ktail diff "$1" "$2" -o diff.json -o diff.svg -o diff.txt
	run diff-runs ktail diff -k 3 --runs R:sys --without W:fb "$1" "$2"
	run check-other ktail check --all --limit 5 ../"$(basename "$1")"/fsm.json "$2"
	run score ktail score ../"$(basename "$1")"/fsm.json ../"$(basename "$2")"/fsm.json
}

# Outputs for malformed, missing and wrong inputs.
of_damage() {
	printf '{"states": 3' >broken.json
	printf 'digraph { a -> b [label="x"]; b -> ; }\n' >broken.dot
	printf '<graphml><graph>' >broken.graphml
	for input in broken.json broken.dot broken.graphml nothing-there "$root/README.md" \
		"$root/corpus"; do
		name=$(basename "$input")
		run "convert-$name" ktail convert "$input" -o x.json
		run "render-$name" ktail render "$input" -o x.svg
		run "infer-$name" ktail "$input" -o x.json
		run "check-$name" ktail check "$input" "$root/corpus/traces/vadd-4k"
		run "stats-$name" ktail stats "$input"
	done
	for sub in infer sweep merge words check diff score convert annotate decode stats record \
		softgpu render; do
		run "help-$sub" ktail help "$sub"
		run "none-$sub" ktail "$sub"
		run "odd-$sub" ktail "$sub" --no-such-option
	done
}

all() { # BUILD NAME
	PATH=$1/bin:$PATH
	mkdir -p "$kept/$2"
	cd "$kept/$2"
	for trace in "$root"/corpus/traces/* "$root"/corpus/calls/* "$root"/corpus/repeats/*; do
		mkdir -p "$(basename "$trace")"
		(cd "$(basename "$trace")" && of_trace "$trace")
	done
	last=
	for trace in "$root"/corpus/traces/*; do
		[ -z "$last" ] || {
			mkdir -p "two-$(basename "$trace")"
			(cd "two-$(basename "$trace")" && of_two "$last" "$trace")
		}
		last=$trace
	done
	mkdir -p damage
	(cd damage && of_damage)
}

(all "$old" old) &
(all "$new" new)
wait
cd "$kept"
find new -type f | wc -l | sed 's/$/ files/'
diff -rq old new && echo 'all the same'
