#!/bin/sh
# SPDX-License-Identifier: MIT
# Records each scenario with ktail record and compares its output, status and words with the
# expected ones. Then does the same with a plain lttng session. Usage: test-record.sh BIN
# LIB EXPECTED SCENARIO...
#        (the build's bin and lib, the folder of words)
set -u

here=$(cd "$(dirname "$0")" && pwd)
bin=$1
lib=$2
expected=$3
shift 3
scratch=$(mktemp -d)
failures=0
. "$here/../counters.sh"
. "$here/compare.sh"
LTTNG_HOME=$scratch/home
export LTTNG_HOME
mkdir -p "$LTTNG_HOME"
trap 'rm -rf "$scratch"' EXIT

fail() {
	echo "FAILED: $*"
	failures=$((failures + 1))
}

for scenario in "$@"; do
	trace=$scratch/$scenario
	bare=$(status_of "$trace.bare" env LD_PRELOAD="$lib/libfake-driver.so" \
		"$bin/scenario-$scenario")
	case $scenario in # more events than fit into the buffers of a busy machine
	*-storm) lossless=--lossless ;;
	*) lossless= ;;
	esac
	recorded=$(status_of "$trace.out" env LD_PRELOAD="$lib/libfake-driver.so" \
		"$bin/ktail-record" -v --subbuf-size 65536 --num-subbuf 32 $lossless -o "$trace" -- \
		"$bin/scenario-$scenario")
	[ "$bare" = "$recorded" ] || fail "$scenario: status $recorded, not $bare"
	cmp "$trace.bare" "$trace.out" || fail "$scenario: its output differs"
	grep -q ' 0 lost' "$trace.out.err" || fail "$scenario: $(cat "$trace.out.err")"
	compare "$trace" "$scenario"
	# Words of programs that were not killed are not truncated.
	[ "$recorded" -ge 128 ] || ! grep -q 'cut-' "$trace.words"/*.events ||
		fail "$scenario: words are truncated"
done
grep -q 'cut-end' "$scratch/crash.words"/*.events || fail "crash: its word is not reported as truncated"
grep -q ' 1 process did not exit cleanly' "$scratch/crash.out.err" &&
	has_counters "$scratch/crash.out.err" '1 fragments' ||
	fail "crash: its end is not reported: $(cat "$scratch/crash.out.err")"
grep -L 'cut-' "$scratch/fork.words"/*.events | grep -q . || fail "fork: words are truncated"

# All doorbells of the scenario `submit` were observed, and so were their submissions.
all_observed() { # ERR
	grep -q ' 3 doorbells in ' "$1" &&
		has_counters "$1" '0 idle doorbells' '1 channels' '0 lagging channels'
}
all_observed "$scratch/submit.out.err" || fail "submit: $(cat "$scratch/submit.out.err")"

# Records a scenario with additional options: TRACE SCENARIO OPTION...
record_with() {
	name=$1
	scenario=$2
	shift 2
	LD_PRELOAD=$lib/libfake-driver.so "$bin/ktail-record" -v --subbuf-size 65536 \
		--num-subbuf 32 "$@" -o "$scratch/$name" -- "$bin/scenario-$scenario" \
		>"$scratch/$name.out" 2>"$scratch/$name.out.err" || fail "$name: status $?"
	cmp "$scratch/$scenario.bare" "$scratch/$name.out" || fail "$name: its output differs"
	grep -q ' 0 lost' "$scratch/$name.out.err" || fail "$name: $(cat "$scratch/$name.out.err")"
	words_of "$scratch/$name"
}

# Without accesses and doorbells, only their letters are missing.
record_with off submit --access=off --doorbell=off
grep -v '^[RW]:' "$expected/submit.0.txt" | diff -u - "$scratch/off.words/0.txt" ||
	fail "off: letters differ"

# Only doorbells, observed in each way, in one thread and in eight.
for mode in auto watchpoint patch protect; do
	record_with "bell-$mode" submit --access=off --doorbell=$mode
	if grep -q 'doorbells\{0,1\} not watched' "$scratch/bell-$mode.out.err"; then
		echo "skipped: doorbells by watchpoint: $(cat "$scratch/bell-$mode.out.err")"
		continue
	fi
	grep -v -e '^R:' -e '^W:[sf]' "$expected/submit.0.txt" |
		diff -u - "$scratch/bell-$mode.words/0.txt" || fail "bell-$mode: letters differ"
	all_observed "$scratch/bell-$mode.out.err" || fail "bell-$mode: $(cat "$scratch/bell-$mode.out.err")"
	record_with "bells-$mode" writers --access=off --doorbell=$mode
	grep '^W:reg' "$expected/writers.counts" >"$scratch/want"
	echo "W:reg $(cat "$scratch/bells-$mode.words"/*.txt | grep -c '^W:reg$')" |
		diff -u "$scratch/want" - || fail "bells-$mode: doorbells differ"
done
has_counters "$scratch/bell-auto.out.err" '1 doorbell pages' '0 watchpoints' &&
	! grep -q 'warning: watchpoints' "$scratch/bell-auto.out.err" ||
	fail "auto did not close the page: $(cat "$scratch/bell-auto.out.err")"

# The patched stores are reported, wherever they are executed.
grep -q ' 192 doorbells in ' "$scratch/bells-patch.out.err" &&
	has_counters "$scratch/bells-patch.out.err" '191 patched doorbells' '1 patched stores' ||
	fail "bells-patch: $(cat "$scratch/bells-patch.out.err")"
for access in off coalesced; do
	trace=$scratch/storm-$access
	recorded=$(status_of "$trace.out" env LD_PRELOAD="$lib/libfake-driver.so" timeout -k 1 60 \
		"$bin/ktail-record" -v --subbuf-size 65536 --num-subbuf 16 --lossless \
		--doorbell=patch --access=$access -o "$trace" -- "$bin/scenario-doorbell-storm")
	[ "$recorded" = 23 ] || fail "doorbell-storm: status $recorded"
	cmp "$scratch/doorbell-storm.bare" "$trace.out" ||
		fail "doorbell-storm: its output differs"
	grep -q ' 0 lost' "$trace.out.err" || fail "doorbell-storm: $(cat "$trace.out.err")"
	has_counters "$trace.out.err" '[1-9][0-9]* patched doorbells' '[1-9][0-9]* patched stores' ||
		fail "doorbell-storm: nothing was patched"
	compare_counts "$trace" doorbell-storm
done

# Submissions of doorbells, for all combinations of modes: entries, and dwords.
submissions_of() { # TRACE
	"$bin/ktail" words --alphabet "$here/submissions.rules" "$1" -o "$1.submissions" &&
		grep -h -v '^#' "$1.submissions"/*.events | diff -u "$expected/ring.submissions" - ||
		fail "$(basename "$1"): entries differ"
	babeltrace2 "$1" | awk -f "$here/submissions.awk" | diff -u "$expected/ring.words" - ||
		fail "$(basename "$1"): words differ"
}

submissions_of "$scratch/ring"
has_counters "$scratch/ring.out.err" '37 ring entries' '3 unread entries' '268782 dwords' &&
	grep -q '3 ring entries could not be read' "$scratch/ring.out.err" ||
	fail "ring: $(cat "$scratch/ring.out.err")"
for options in --doorbell=auto --doorbell=watchpoint --doorbell=patch --doorbell=protect \
	'--doorbell=watchpoint --access=off' '--doorbell=patch --access=off' \
	'--doorbell=protect --access=off' --access=exact --pin \
	--rings=stores '--rings=stores --access=off' '--rings=stores --access=off --doorbell=watchpoint' \
	'--rings=stores --access=off --doorbell=patch' --rings=check '--rings=check --access=off' '--rings=check --pin' \
	'--subbuf-size=4096 --num-subbuf=64 --lossless'; do
	# shellcheck disable=SC2086
	record_with "ring$options" ring $options
	grep -q 'doorbells\{0,1\} not watched' "$scratch/ring$options.out.err" ||
		submissions_of "$scratch/ring$options"
	! grep -q 'differ from the observed stores' "$scratch/ring$options.out.err" ||
		fail "ring$options: $(cat "$scratch/ring$options.out.err")"
done
record_with ring-off ring --submissions=off
diff -u "$expected/ring.0.txt" "$scratch/ring-off.words/0.txt" || fail "ring-off: letters differ"
! grep -q '  ring entries  ' "$scratch/ring-off.out.err" &&
	! babeltrace2 "$scratch/ring-off" | grep -q -e gpfifo_entry -e pushbuffer ||
	fail "ring-off: submissions are reported"

# Waits for a device: which calls waited, and which waited for 20 ms or more.
babeltrace2 "$scratch/waits" | awk -f "$here/waits.awk" | diff -u "$expected/waits.waits" - ||
	fail "waits: events differ"

# Rings reconstructed from the program's stores equal the memory, whatever else the program does to
# the pages, and the words are the same. Stores that are not observed are reported.
for scenario in submit fork clone thread writers exec remap own-protection unmapped-in-parts \
	split-while-held replaced-while-read no-mappings-left hard-instructions exec-keeps-device; do
	for options in --rings=check '--rings=check --access=off'; do
		# shellcheck disable=SC2086
		record_with "$scenario$options" $scenario $options
		has_counters "$scratch/$scenario$options.out.err" '0 different GP_PUTs' \
			'0 different entries' &&
			! grep -q 'differ from the observed stores' "$scratch/$scenario$options.out.err" ||
			fail "$scenario$options: $(cat "$scratch/$scenario$options.out.err")"
	done
	[ ! -f "$expected/$scenario.0.txt" ] ||
		diff -u "$expected/$scenario.0.txt" "$scratch/$scenario--rings=check.words/0.txt" ||
		fail "$scenario --rings=check: letters differ"
done
record_with submit-stores submit --rings=stores
has_counters "$scratch/submit-stores.out.err" '0 bus reads' '3 GP_PUT stores' '3 stored doorbells' ||
	fail "submit-stores: $(cat "$scratch/submit-stores.out.err")"
for options in --rings=check '--rings=check --access=off'; do
	# shellcheck disable=SC2086
	record_with "unseen-stores$options" unseen-stores $options
	has_counters "$scratch/unseen-stores$options.out.err" '3 stored doorbells' \
		'4 stored GP_PUTs' '3 stored entries' &&
		grep -q 'warning: 1 GP_PUT and 1 ring entry in memory differ from the observed stores' \
			"$scratch/unseen-stores$options.out.err" ||
		fail "unseen-stores$options: $(cat "$scratch/unseen-stores$options.out.err")"
done

# Traps of watchpoints whose cause a virtual machine has lost are recorded; the program's own traps
# are not.
record_with causeless-watchpoint causeless-traps --access=off --doorbell=watchpoint
grep -q 'doorbells\{0,1\} not watched' "$scratch/causeless-watchpoint.out.err" ||
	grep -q ' 3 doorbells ' "$scratch/causeless-watchpoint.out.err" ||
	fail "causeless-traps: $(cat "$scratch/causeless-watchpoint.out.err")"

# A watchpoint's trap that arrives after its mapping was unmapped.
record_with unmap-watchpoint unmap-after-doorbell --access=off --doorbell=watchpoint
grep -q 'doorbells\{0,1\} not watched' "$scratch/unmap-watchpoint.out.err" ||
	compare_counts "$scratch/unmap-watchpoint" unmap-after-doorbell

# If perf_event_open is refused, --doorbell=watchpoint closes no page, and the summary
# warns.
record_with no-watchpoint no-watchpoints --access=off --doorbell=watchpoint
grep -q 'doorbells\{0,1\} not watched (perf_event_open: Permission denied' \
	"$scratch/no-watchpoint.out.err" &&
	grep -q ' 0 doorbells in ' "$scratch/no-watchpoint.out.err" &&
	has_counters "$scratch/no-watchpoint.out.err" '1 channels' '1 lagging channels' ||
	fail "no-watchpoint: $(cat "$scratch/no-watchpoint.out.err")"
for scenario in no-watchpoints watchpoints-taken; do
	record_with "page-$scenario" $scenario --access=off
	all_observed "$scratch/page-$scenario.out.err" ||
		fail "page-$scenario: $(cat "$scratch/page-$scenario.out.err")"
done

# In its own root folder a program continues and ends as without the recorder.
if [ "$(id -u)" = 0 ]; then
	bare=$(status_of "$scratch/root-folder.bare" "$bin/scenario-root-folder")
	recorded=$(status_of "$scratch/root-folder.out" timeout -k 1 30 "$bin/ktail-record" \
		--subbuf-size 65536 --num-subbuf 32 -o "$scratch/root-folder" -- "$bin/scenario-root-folder")
	[ "$bare" = "$recorded" ] || fail "root-folder: status $recorded, not $bare"
	cmp "$scratch/root-folder.bare" "$scratch/root-folder.out" ||
		fail "root-folder: its output differs"
	rmdir /tmp/scenario-root-folder-* 2>/dev/null
fi

# With --access=exact, the trace has as many accesses as the program counted, up to
# --access-limit, and its words do not change.
accesses() { babeltrace2 "$scratch/$1" 2>/dev/null | grep -c 'gpu_stack:access'; }

record_with exact-all counted-accesses --access=exact
counted=$(sed -n 's/.*, \([0-9]*\) accesses$/\1/p' "$scratch/counted-accesses.bare")
[ "$(accesses exact-all)" = "$counted" ] ||
	fail "counted-accesses: $(accesses exact-all) accesses in the trace, $counted in the program"
diff -u "$expected/counted-accesses.0.txt" "$scratch/exact-all.words/0.txt" ||
	fail "counted-accesses: letters differ"
record_with exact-some counted-accesses --access=exact --access-limit=10
[ "$(accesses exact-some)" = 10 ] || fail "limit: $(accesses exact-some) accesses"
grep -q 'reached --access-limit' "$scratch/exact-some.out.err" || fail "the limit is not reported"
[ "$(babeltrace2 "$scratch/exact-some" 2>/dev/null | grep -c 'gpu_stack:detail.*"access".*"exact".*"coalesced".*"limit"')" = 1 ] ||
	fail "the change of detail is not in the trace"
diff -u "$expected/counted-accesses.0.txt" "$scratch/exact-some.words/0.txt" ||
	fail "limit: letters differ"
record_with exact-submit submit --access=exact
diff -u "$expected/submit.0.txt" "$scratch/exact-submit.words/0.txt" ||
	fail "counted-accesses: letters of submit differ"

# Threads that are cancelled while they wait for space in a full buffer.
record_with exact-cancelled cancel-anywhere --access=exact

# Registered user memory that the program's system calls use.
record_with pin registered-memory --pin
diff -u "$expected/registered-memory-pin.txt" "$scratch/pin.words/0.txt" || fail "pin: letters differ"

# More threads than watchpoints can be opened: auto closes the page, otherwise there is a
# warning.
record_with few-files threads-beyond-files --access=off --doorbell=watchpoint
grep -q 'doorbells\{0,1\} not watched (perf_event_open' "$scratch/few-files.out.err" ||
	fail "threads-beyond-files: it does not report threads without a watchpoint"

# A program that was started before LTTng's daemon: its word begins in the middle.
wait_for() { # COMMAND...: repeats it until it succeeds, for up to a minute
	for _ in $(seq 600); do
		"$@" >/dev/null 2>&1 && return
		sleep 0.1
	done
	fail "waited for nothing: $*"
}

says() { # TEXT COMMAND...
	text=$1
	shift
	"$@" 2>/dev/null | grep -q -e "$text"
}

if ! lttng --no-sessiond list >/dev/null 2>&1; then
	LD_PRELOAD=$lib/libktail-record.so:$lib/libfake-driver.so "$bin/scenario-before-daemon" \
		"$scratch/go" >"$scratch/before-daemon.early" 2>&1 &
	program=$!
	wait_for grep -q submissions "$scratch/before-daemon.early"
	lttng-sessiond --no-kernel >/dev/null 2>&1 &
	pid=$!
	wait_for lttng --no-sessiond list
	wait_for says scenario-before lttng list --userspace
	lttng create before-daemon -o "$scratch/early" >/dev/null &&
		lttng enable-event -u 'gpu_stack:*' >/dev/null && lttng start >/dev/null ||
		fail "before-daemon: lttng"
	touch "$scratch/go"
	wait "$program" || fail "before-daemon: status $?"
	lttng stop >/dev/null && lttng destroy >/dev/null ||
		fail "before-daemon: the daemon has exited"
	kill "$pid" && wait "$pid"
	cmp "$scratch/before-daemon.bare" "$scratch/before-daemon.early" ||
		fail "before-daemon: its output differs"
	words_of "$scratch/early"
	diff -u "$expected/before-daemon-cut.txt" "$scratch/early.words/0.txt" ||
		fail "before-daemon: its word"
	grep -q 'cut-begin' "$scratch/early.words"/*.events ||
		fail "before-daemon: not reported as truncated"
fi

# A plain session, two processes, no contexts: the same words as with ktail record. Uses an
# existing daemon, or starts one.
pid=''
if ! lttng --no-sessiond list >/dev/null 2>&1; then
	lttng-sessiond --no-kernel >/dev/null 2>&1 &
	pid=$!
	for _ in $(seq 100); do
		lttng --no-sessiond list >/dev/null 2>&1 && break
		sleep 0.1
	done
fi
lttng create plain -o "$scratch/plain" >/dev/null &&
	lttng enable-event -u 'gpu_stack:*' >/dev/null && lttng start >/dev/null ||
	fail "lttng"
for scenario in submit thread; do
	LD_PRELOAD=$lib/libktail-record.so:$lib/libfake-driver.so "$bin/scenario-$scenario" \
		>"$scratch/plain.out" || fail "plain $scenario"
	cmp "$scratch/$scenario.bare" "$scratch/plain.out" || fail "plain $scenario: output"
done
# LTTng's library for programs that fork may be preloaded, too, before the recorder or after it.
for scenario in fork clone daemon; do
	for preloaded in "liblttng-ust-fork.so:$lib/libktail-record.so" \
		"$lib/libktail-record.so:liblttng-ust-fork.so"; do
		LD_PRELOAD=$preloaded:$lib/libfake-driver.so timeout -s KILL 60 \
			"$bin/scenario-$scenario" >"$scratch/plain.out" ||
			fail "$preloaded: plain $scenario"
		cmp "$scratch/$scenario.bare" "$scratch/plain.out" ||
			fail "$preloaded: plain $scenario: output"
	done
done
# ktail record uses an existing daemon and leaves it running.
LD_PRELOAD=$lib/libfake-driver.so "$bin/ktail-record" --subbuf-size 65536 --num-subbuf 32 \
	-o "$scratch/beside" -- "$bin/scenario-submit" >/dev/null 2>&1 || fail "beside"
lttng stop >/dev/null && lttng destroy >/dev/null || fail "the daemon has exited"
[ -z "$pid" ] || { kill "$pid" && wait "$pid"; }
words_of "$scratch/plain"
for scenario in submit thread; do
	grep -v '^#' "$scratch/plain.words"/*scenario-$scenario.0.events |
		diff -u "$expected/$scenario.0.txt" - || fail "plain: the word of $scenario"
done
words_of "$scratch/beside"
diff -u "$expected/submit.0.txt" "$scratch/beside.words/0.txt" || fail "beside: word 0"

[ "$failures" = 0 ] && echo "all scenarios as expected"
[ "$failures" = 0 ]
