#!/bin/bash
# SPDX-License-Identifier: MIT
# Compares the time from CTF to words with the time in which babeltrace2 just reads the same trace.
# The two programs run alternately, and the best time of each counts. If TRACE does not exist,
# records a trace of EVENTS events first.
#   bench-words.sh BUILD-FOLDER TRACE [EVENTS [ROUNDS]]
here=$(dirname "$(readlink -f "$0")")
build=$(readlink -f "$1") trace=$(readlink -m "$2") events=${3:-1000000} rounds=${4:-10}
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT

if [ ! -e "$trace" ]; then
	(
		EMIT=$build/bin/emit-events PROVIDER=$build/lib/libktail-gpu-stack.so
		. "$here/../words/lttng-session.sh"
		session_open "$trace" --subbuf-size=1M --num-subbuf=8
		printf 'begin app\nbulk %d\nend exit\n' "$events" | emit
		session_close
	) || exit 1
fi

# milliseconds COMMAND...
milliseconds() {
	local begin=${EPOCHREALTIME/[.,]/}
	"$@" > /dev/null 2>&1 || { echo "failed: $*" >&2; exit 1; }
	echo $(((${EPOCHREALTIME/[.,]/} - begin) / 1000))
}

best_plain= best_words=
for _ in $(seq "$rounds"); do
	plain=$(milliseconds babeltrace2 "$trace" -c sink.utils.dummy) || exit 1
	words=$(milliseconds "$build/bin/ktail" words "$trace" -o "$out/words") || exit 1
	[ -n "$best_plain" ] && [ "$best_plain" -le "$plain" ] || best_plain=$plain
	[ -n "$best_words" ] && [ "$best_words" -le "$words" ] || best_words=$words
done
letters=$(cat "$out/words"/*.events | grep -vc '^#')
echo "plain read $best_plain ms, ktail words $best_words ms, ratio" \
	"$((best_words * 100 / best_plain)) %, $letters letters"
