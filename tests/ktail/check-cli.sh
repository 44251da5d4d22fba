#!/bin/bash
# SPDX-License-Identifier: MIT
# The program ktail: what it runs, its messages and exit statuses, and the files it leaves.
#   check-cli.sh KTAIL TRACE
ktail=$1 trace=$2
# shellcheck source=tests/cli.sh
. "${0%/*}/../cli.sh"

printf 'a\nb\na\nb\n' > word.events
: > empty.events

# Help and version everywhere
for arguments in --help -h help 'help infer' 'help words' 'infer --help' 'words --help' 'help sweep' 'sweep -h' 'help merge' 'merge -h'; do
	runs 0 '' $arguments
	grep -q '^usage: ktail' stdout || fail "$arguments: no usage"
done
for arguments in --version -V 'infer --version' 'words --version' 'words -V'; do
	runs 0 '' $arguments
	grep -qE '^ktail [0-9]+\.[0-9]+\.[0-9]+$' stdout ||
		fail "$arguments: no version"
	sed -n 2p stdout | grep -qE '^commit ([0-9a-f]{12}|unknown)$' || fail "$arguments: no commit"
	grep -qE '^babeltrace2 [0-9.]+$' stdout && grep -qE '^igraph [0-9.]+$' stdout ||
		fail "$arguments: what is linked: $(cat stdout)"
done
runs 2 '^ktail: help with nonsense: no such subcommand; subcommands are record, ' help nonsense

for arguments in --help --version help 'help words' 'words --help' 'infer --version'; do
	"$ktail" $arguments > /dev/full 2> stderr
	[ $? = 2 ] && grep -q '^ktail: write standard output: No space' stderr ||
		fail "$arguments > /dev/full"
done

# Using a closed standard descriptor is an error, and no file that is opened later takes its place.
closed() {
	local expected=$1 status=$2
	[ "$status" = "$expected" ] || fail "closed: exit status $status, not $expected"
}
"$ktail" --k 1 word.events -o result.json -o - 2> /dev/null >&-
closed 2 $?
"$ktail" --k 1 word.events 2> /dev/null >&-
closed 2 $?
"$ktail" --version 2> /dev/null >&-
closed 2 $?
"$ktail" --k 1 - -o result.json 2> /dev/null <&-
closed 2 $?
leaves_nothing
"$ktail" --k 1 word.events -o closed.json -o closed.svg <&- >&- 2>&-
closed 0 $?
"$ktail" --k 1 word.events -o open.json -o open.svg
cmp open.json closed.json && cmp open.svg closed.svg || failures=$((failures + 1))

# A reader that closes the pipe early
for i in 1 2 3; do
	"$ktail" --k 1 word.events 2> stderr | true
	[ "$(wc -l < stderr)" -le 1 ] || { cat stderr; failures=$((failures + 1)); }
done

# Usage
runs 2 '^usage: ktail \[infer\]'
[ "$(wc -l < stderr)" = 3 ] && [ ! -s stdout ] || fail "ktail alone: $(cat stderr stdout)"
runs 2 '^ktail: no trace given' --k 1
runs 2 'from 0 to 9223372036854775807, not' --k 9223372036854775808 word.events
runs 2 '^ktail: read standard input: it is given twice' --k 1 - - -o result.json < word.events
for k in -1 1x '' 99999999999999999999; do
	runs 2 '^ktail: --k, if not auto, must be a whole number' "--k=$k" word.events
done
runs 2 '^ktail: --machine must be chains' --k 1 --machine tree word.events
runs 2 '^ktail: a word can be a channel only with the alphabets submission and methods' --k 1 --word channel word.events
runs 2 '^ktail: --word must be process, thread or channel, not ' --k 1 --word letter word.events
runs 2 '^ktail: --source must be' --k 1 --source all word.events
runs 2 '^ktail: unknown option --nonsense; see ktail --help' --nonsense word.events
for ending in html jpeg; do
	runs 2 "^ktail: write result.$ending: this version writes" --k 1 word.events -o "result.$ending"
done
runs 2 '^ktail: write result: this version writes' --k 1 word.events -o result
runs 2 "this version writes .dot, .*; did you mean '.svg'?$" --k 1 word.events -o result.svgg
: > typo.jsn
runs 3 "the ending of a machine is .json, .gv, .dot or .graphml; did you mean '.json'?$" convert typo.jsn
runs 2 '^ktail: unknown option --alphabt; did you mean --alphabet? See ktail --help$' --alphabt rm word.events
runs 2 "must be user, kernel or both, not 'kernle'; did you mean 'kernel'?$" --source kernle word.events
runs 2 '^ktail: -o DIR is missing' words word.events
runs 2 '^ktail: no trace given' words -o result
leaves_nothing

# Suggestions
runs 2 "this version writes .dot, .svg, .png, .pdf and .json; did you mean '.svg'?$" render word.json -o result.sgv
runs 2 "this version writes .txt, .json, .csv and .tsv; did you mean '.csv'?$" stats "$trace" -o result.cvs
runs 2 "^ktail: run recrod: no such subcommand or trace; did you mean 'record'?$" recrod
runs 2 "^ktail: help with anotate: no such subcommand; did you mean 'annotate'?$" help anotate

# Inputs
runs 2 '^ktail: run nothing: no such subcommand or trace; subcommands are record, softgpu, raw, infer, ' nothing
runs 2 '^ktail: read ./nothing: No such file or directory$' --k 1 ./nothing -o result.json
runs 2 '^ktail: read nothing.events: No such file' --k 1 nothing.events -o result.json
runs 3 '^ktail: read stdout: neither a folder nor an .events, .events.zst, .tar.zst or .dat file$' --k 1 stdout
mkdir none
runs 3 '^ktail: read none: no CTF trace' --k 1 none -o result.json
runs 3 '^ktail: read none: no CTF trace' words none -o result
mkdir trace
: > trace/metadata
runs 3 'read .*/trace/metadata: the metadata is truncated$' --k 1 trace -o result.json
echo 'nonsense' > trace/metadata
runs 3 '^ktail: read trace: ' --k 1 trace -o result.json
printf 'a\nb\001c\n' > control.events
runs 3 '^ktail: read control.events:2: a letter with control characters' --k 1 control.events -o result.json
printf 'a\r\n' > crlf.events
runs 3 '^ktail: read crlf.events:1: .*CR LF' --k 1 word.events crlf.events -o result.json
runs 3 '^ktail: read standard input:2: ' --k 1 - -o result.json < control.events
runs 2 '^ktail: open alphabet: read nonsense: No such file' --k 1 --alphabet nonsense "$trace"
runs 2 '^ktail: open alphabet: read nonsense: No such file or directory; the built-in alphabets are table1, atc13, roles, rm, api, calls, submission, methods$' --k 1 --alphabet nonsense word.events
runs 2 "^ktail: open alphabet: read tabel1: No such file or directory; did you mean 'table1'?$" --k 1 --alphabet tabel1 word.events
runs 2 '^ktail: open alphabet: read a/rules: No such file or directory$' --k 1 --alphabet a/rules word.events
printf '# mine\n\nioctl => x\n' > bad.alphabet
runs 3 '^ktail: read alphabet bad.alphabet:3: ' --k 1 --alphabet bad.alphabet "$trace" -o result.json
printf 'ioctl -> {nonsense}\n' > field.alphabet
printf 'ioctl ->#{nr}\n' > hash.alphabet
runs 3 "^ktail: read alphabet hash.alphabet:1: a letter cannot begin with '#'" --k 1 \
	--alphabet hash.alphabet "$trace" -o result.json
printf 'process_begin -> {driver}\n' > blank.alphabet
runs 3 '^ktail: read .*: at 2.* UTC: event process_begin: make letter: it is blank' --k 1 \
	--alphabet blank.alphabet "$trace" -o result.json
runs 3 'read alphabet field.alphabet:[1-9][0-9]*: event ioctl has no field nonsense' --k 1 \
	--alphabet field.alphabet "$trace" -o result.json
printf 'ioctl nr=x -> y\n' > kind.alphabet
runs 3 "read alphabet kind.alphabet:1: field nr of event ioctl is a number, but 'x' is not" --k 1 \
	--alphabet kind.alphabet "$trace" -o result.json
printf 'open -> x\ndevice_open -> {device:x}\n' > hex.alphabet
runs 3 'read alphabet hex.alphabet:2: field device of event device_open is a string' --k 1 \
	--alphabet hex.alphabet "$trace" -o result.json
printf 'object -> x\n' > no.alphabet
runs 3 "^ktail: read $trace: no words" --k 1 --alphabet no.alphabet "$trace" -o result.json
leaves_nothing

# Truncated words and losses
printf '#ktail lost 3\n#ktail cut-begin\na\n' > cut.events
runs 0 '^ktail: warning: 1 of 1 word is truncated' --k 1 cut.events -o cut.json
grep -q '"lost": 3, .*"complete": false' cut.json || fail "cut.json"
runs 4 '^ktail: read cut.events: 1 of 1 word is truncated, 3 events' --k 1 --strict cut.events -o result.json
leaves_nothing
runs 0 '' --k 1 --strict word.events empty.events -o strict.json

# Outputs
runs 0 '' --k 1 --machine pta word.events -o pta.json
grep -q '"machine": "pta"' pta.json || fail "pta.json"
runs 0 '' --k 9999999999 word.events -o far.json
runs 0 '' --k 0 word.events -o zero.json
runs 0 '' infer -k1 -o one.json -o one.tsv -- word.events
printf 'from\tletter\tto\tcount\n0\ta\t1\t2\n1\tb\t0\t2\n' | cmp - one.tsv || failures=$((failures + 1))
runs 0 '' --k 1 - -o stdin.json < word.events
grep -q '"name": "stdin", "events": 4' stdin.json || fail "stdin.json"
grep -q '"alphabet": null' stdin.json || fail "alphabet"
runs 0 '' --k 1 word.events
grep -q '^digraph' stdout || fail "no DOT"
runs 0 '' --k 1 word.events -o d.dot -o d.svg -o d.png -o d.pdf -o d.json
for file in d.dot d.svg d.png d.pdf d.json; do
	[ -s $file ] || fail "$file is missing"
done
cmp stdout /dev/null || failures=$((failures + 1))

long=$(printf '%0250d' 0).json
runs 0 '' --k 1 word.events -o "$long"
cmp one.json "$long" || failures=$((failures + 1))
ln -s far/../target.json link.json
mkdir far
runs 0 '' --k 1 word.events -o link.json
[ -L link.json ] && cmp one.json target.json || failures=$((failures + 1))
ln -s result.json result-loop.json && ln -s result-loop.json result.json
runs 2 'write result.json: Too many levels' --k 1 word.events -o result.json
rm result.json result-loop.json

# If one output cannot be written, none is created.
ln -s /dev/full full.json
mkdir result.d folder.json
runs 2 '^ktail: .*write nowhere/result.json: No such file or directory$' --k 1 word.events \
	-o result.json -o nowhere/result.json
rmdir result.d
leaves_nothing
runs 2 'write folder.json: Is a directory$' --k 1 word.events -o result.tsv -o folder.json
leaves_nothing
runs 2 'write .*: No space left on device$' --k 1 word.events -o result.tsv -o full.json
runs 2 'create folder nowhere/words: No such file' words word.events -o nowhere/words
runs 2 'write words to word.events/: Not a directory$' words word.events -o word.events/
runs 2 'write word.events: this version writes .dat, or .events files into a folder (word.events/)$' \
	words word.events -o word.events
runs 2 'write result.txt: this version writes .dat, or' words word.events -o result.txt
runs 0 - words word.events -o words.d
runs 0 - words word.events -o words.txt/
runs 0 - words word.events -o words.txt
runs 0 - words word.events -f events -o words.json
runs 0 - words word.events -f dat -o words.x
runs 0 - words word.events -o -
same stdout words.x
rm -r words.*
mkdir words && echo a > words/other.events
runs 2 '^ktail: write words to words: other.events already exists' words word.events -o words
[ "$(ls words)" = other.events ] || fail "words: wrote beside"

# The same mistake has the same status in all programs that read traces.
"$ktail" --k 1 word.events -o m.json -o m.kgrams
mkdir empty
for command in 'infer --k 1' 'words -o result' sweep decode stats 'check --alphabet table1 m.json'; do
	runs 3 '^ktail: read m.json: it is a state machine (ktail-fsm/1), not .*a trace$' \
		$command m.json
	runs 3 '^ktail: read m.kgrams: it is statistics of words' $command m.kgrams
	runs 3 '^ktail: read empty: no CTF trace' $command empty
	runs 2 '^ktail: read ./nothing: No such file or directory$' $command ./nothing
done
for command in 'check empty' 'convert empty' 'annotate empty'; do
	runs 3 '^ktail: read empty: it is a folder, not a state machine$' $command $(
		[ "$command" = 'convert empty' ] || echo "$trace")
done
runs 3 '^ktail: read word.events: it is a word (.events), not a state machine$' check word.events "$trace"
runs 2 '^ktail: find process nosuch: not in the traces, which have [a-z]' \
	decode --ioctls --process nosuch "$trace"

# A warning if k is larger than all words; a summary on a terminal
runs 0 '^ktail: warning: k = 5 is larger than all words, the longest of which has 4 letters' --k 5 word.events
runs 0 - --k 4 word.events
grep -q '^digraph' stdout || fail "no DOT to a pipe"
if command -v script > /dev/null; then
	script -qec "LIBBABELTRACE2_NO_DLCLOSE=1 '$ktail' --k 1 word.events" /dev/null > terminal < /dev/null
	grep -q '^states  *[0-9]*, ' terminal && grep -q '^-o FILE.svg draws it' terminal ||
		fail "on a terminal: $(cat terminal)"
	rm terminal
fi
rm -r m.json m.kgrams empty

# Other programs: next to ktail or in PATH
mkdir bin
printf '#!/bin/sh\necho "other $0 $*"\nexit 7\n' > bin/ktail-other
chmod +x bin/ktail-other
PATH=$out/bin:$PATH runs 7 '' other x --y 2>&1 | grep -v '^no pattern'
PATH=$out/bin:$PATH "$ktail" other x --y | grep -qx "other $out/bin/ktail-other x --y" ||
	fail "ktail other"
mkdir bin/ktail-folder
PATH=$out/bin:$PATH runs 2 '^ktail: run folder: no such subcommand or trace; ' folder
cp word.events other
PATH=$out/bin:$PATH runs 3 'neither a folder' --k 1 other
mv other infer.events
runs 0 '' --k 1 infer.events -o x.json

# A renderer that fails: its messages are passed on, and no file is left.
cp "$ktail" bin/ktail
printf '#!/bin/sh\necho "cannot draw" >&2\nexit 5\n' > bin/ktail-render
chmod +x bin/ktail-render
LD_LIBRARY_PATH=$(dirname "$ktail")/../lib bin/ktail --k 1 word.events -o result.json -o result.svg 2> stderr
[ $? = 2 ] && grep -q '^cannot draw$' stderr && grep -q '^ktail: write result.svg: run .*exit status 5$' stderr ||
	{ cat stderr; failures=$((failures + 1)); }
leaves_nothing

# Signals: no file is left, and the child ends too.
runs_still() {
	grep -s '^State:' "/proc/$(cat pid)/status" | grep -vq Z
}
printf '#!/bin/sh\necho $$ > pid\nexec sleep 60\n' > bin/ktail-render
for signal in TERM HUP INT; do
	rm -f pid
	# Background jobs of a shell ignore SIGINT; env restores it.
	LD_LIBRARY_PATH=$(dirname "$ktail")/../lib env --default-signal=INT \
		bin/ktail --k 1 word.events -o result.json -o result.svg 2> stderr &
	job=$!
	for _ in $(seq 100); do
		[ -s pid ] && break
		sleep 0.05
	done
	compgen -G '.ktail-*' > /dev/null || fail "no temporary file"
	kill -$signal $job
	wait $job
	[ $? = $((128 + $(kill -l $signal))) ] && [ ! -s stderr ] ||
		{ echo "not ended by $signal"; cat stderr; failures=$((failures + 1)); }
	for _ in $(seq 100); do
		runs_still || break
		sleep 0.05
	done
	runs_still && fail "the child goes on"
	leaves_nothing
done
(seq 20000 > many.events && ulimit -f 8 && "$ktail" --k 1 many.events -o result.json) 2> stderr
[ $? = 2 ] && grep -q '^ktail: write result.json: .*: File too large$' stderr ||
	{ echo "ulimit -f"; cat stderr; failures=$((failures + 1)); }
leaves_nothing

[ $failures = 0 ]
