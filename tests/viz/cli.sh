#!/bin/sh
# SPDX-License-Identifier: MIT
# Tests the command line of ktail-render.
# Usage: cli.sh KTAIL-RENDER SVG-CHECK MAKE-FSM GOLDEN-FOLDER
set -u
render=$1 check=$2 make=$3 golden=$4
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 1
input=/dev/null
failures=0

wrong()
{
	echo "WRONG: $*" >&2
	failures=$((failures + 1))
}

# expect STATUS REASON ARGUMENT...: runs ktail-render and checks its exit status. If REASON is not
# empty, standard error must be one line that contains REASON, and no file may appear or vanish in
# the folder. If REASON is empty, standard error must be empty.
expect()
{
	status=$1 reason=$2
	shift 2
	ls -A > /tmp/before.$$
	"$render" "$@" > /tmp/out.$$ 2> /tmp/err.$$ < "$input"
	got=$?
	[ $got = "$status" ] || wrong "status $got, not $status: $*"
	if [ "$reason" ]; then
		grep -q "^ktail: .*$reason" /tmp/err.$$ ||
			wrong "no '$reason' in '$(cat /tmp/err.$$)': $*"
		[ "$(wc -l < /tmp/err.$$)" = 1 ] || wrong "not one line of error: $*"
		ls -A | cmp -s - /tmp/before.$$ || wrong "files left or lost: $*"
	else
		[ ! -s /tmp/err.$$ ] || wrong "said '$(cat /tmp/err.$$)': $*"
	fi
	rm -f /tmp/before.$$ /tmp/out.$$ /tmp/err.$$
}

machine=$golden/chain.json
wanted=$golden/chain.dot

# --- inputs, outputs, formats ---
"$render" "$machine" | cmp - "$wanted" || wrong "dot on standard output"
"$render" < "$machine" | cmp - "$wanted" || wrong "machine from standard input"
"$render" - -o - < "$machine" | cmp - "$wanted" || wrong "- for both"
expect 0 '' "$machine" -o a.dot -o a.svg -o a.png -o a.pdf -fdot -o b.x
cmp a.dot b.x && cmp a.svg b.x || wrong "-f goes for all outputs"
expect 0 '' -o a.dot -o a.svg "$machine" -o a.png -o a.pdf -o again.svg
cmp a.dot "$wanted" || wrong "a.dot"
cmp a.svg again.svg || wrong "the same machine gives another picture"
"$check" a.svg > a.txt || wrong "a.svg"
[ "$(head -c 8 a.png | od -An -tx1 | tr -d ' \n')" = 89504e470d0a1a0a ] || wrong "a.png"
[ "$(head -c 5 a.pdf)" = %PDF- ] || wrong "a.pdf"
"$render" -f svg "$machine" | cmp - a.svg || wrong "svg on standard output"
expect 0 '' --help
expect 0 '' --version
"$render" --help | grep -q -- '--layout-timeout SECONDS' || wrong "--help"
if command -v xmllint > /dev/null; then
	xmllint --noout --nonet a.svg || wrong "xmllint: a.svg"
fi

# --- the layout as JSON: each transition is in one edge, each state that is drawn has a box ---
expect 0 '' "$machine" -o a.json -o a.svg
"$render" -f json "$machine" | cmp - a.json || wrong "another layout on standard output"
tr -d '\n' < a.json | grep -o '"transitions":\[[0-9,]*\]' | tr -cs 0-9 '\n' | sed '/^$/d' | sort -n > edges.txt
seq 0 $(($(grep -c '"letter":' "$machine") - 1)) | cmp - edges.txt || wrong "transitions of a.json"
[ "$(grep -o '"path":"M[^"]*","arrow":"M[^"]*Z"' a.json | wc -l)" = "$(grep -c ' -> ' "$wanted")" ] ||
	wrong "arrows of a.json"
rm a.json edges.txt

# --- a machine of realistic size: few nodes, drawn quickly, with letters in tooltips ---
"$make" trace > trace.json
expect 0 '' trace.json -o trace.svg -o trace.dot --layout-timeout 5
grep -q '355 states .*383 transitions .*19 complex' trace.dot || wrong "sizes of trace.json"
nodes=$(grep -c 'class="node' trace.svg)
[ "$nodes" -le 60 ] || wrong "$nodes nodes"
"$check" trace.svg > trace.txt || wrong "trace.svg"
grep -q 'class="node state start"' trace.svg || wrong "no start"
grep -q 'class="node state end"' trace.svg || wrong "no end"
for letter in ioctl:0x2b map:reg W:sys W:fb W:reg; do
	grep -q "^tooltip a_t.*$letter" trace.txt || wrong "no edge with $letter"
done
# A chain's tooltip has all letters of the chain.
"$make" line 3000 > line.json
expect 0 '' line.json -o line.svg
"$check" line.svg > line.txt || wrong "line.svg"
[ "$(grep '^tooltip a_t0-0 ' line.txt | tr ' ' '\n' | grep -c ':.*[a-z0-9]$')" -ge 3000 ] ||
	wrong "letters of a long chain"

# --- the caller may ignore SIGCHLD; no code under the GPL is linked ---
(trap '' CHLD && "$render" trace.json -f svg) > ignored.svg || wrong "ignored children"
cmp trace.svg ignored.svg || wrong "ignored children"
ldd "$render" | grep -E 'igraph|libktail' && wrong "linked with what it must not be"

# --- usage ---
expect 2 "must be dot, svg, png, pdf or json, not .gif." -f gif "$machine"
expect 2 "a.gif: this version writes .dot, .svg" "$machine" -o a.gif
expect 2 "x.d/svg: this version writes" "$machine" -o x.d/svg
expect 2 "more than one file" "$machine" "$machine"
expect 2 "unknown option --frob" --frob
expect 2 "whole number" --layout-timeout 0 "$machine"
expect 2 "whole number" --max-label 0 "$machine"
expect 2 "whole number" --max-label x "$machine"

# --- an option that would change nothing is refused ---
expect 2 "--hide: the machine has no counts" --hide 2 "$golden/truth.json" -o n.svg
expect 2 "--hide: the machine has no counts" --hide 50% "$golden/truth.json" -o n.svg
for option in --hide=2 --list --rankdir=LR --heading=none --max-label=2 --no-collapse --layout-timeout=9; do
	expect 2 "${option%=*} does not change the plot of a sweep" $option "$golden/sweep.json" -o n.svg
	[ $option = --list ] ||
		expect 2 "${option%=*} does not change a distilled machine" $option "$golden/distilled.json" -o n.svg
done
expect 2 "--names does not change the plot of a sweep" --names=off "$golden/sweep.json" -o n.svg
expect 0 '' --names=off "$golden/distilled.json" -o n.svg
rm n.svg
for option in --hide=2 --list --rankdir=LR --heading=none --width=178mm --grey --font=Courier --title=x; do
	expect 2 "${option%=*} does not change a layout as json" $option "$machine" -o n.json
done
expect 0 '' --max-label=2 --names=off --no-collapse --layout-timeout=60 "$machine" -o n.json
expect 0 '' --grey "$machine" -o n.json -o n.svg
rm n.json n.svg

# --- a percentage is exact: 7 % of 100 is 7 ---
"$make" loops 100 7 > counts.json
for share in 7% 7.000% 6.999%; do
	"$render" --hide $share counts.json -o n.dot
	grep -q 'not drawn' n.dot && wrong "--hide $share"
done
"$render" --hide 7.001% counts.json -o n.dot
grep -q 'not drawn: 1 edge taken fewer than 8 times' n.dot || wrong "--hide 7.001%"
rm n.dot counts.json
for share in 0x10% 101% 100.001% 1.0001% 1e1% nan% 5%% -1% % 1.2.3%; do
	expect 2 "--hide must be a whole number or a percentage" --hide $share "$machine" -o n.svg
done

# --- the font is that of all forms ---
for file in "$machine" "$golden/distilled.json"; do
	"$render" --font 'Some "Font"' "$file" -o n.dot -o n.svg
	grep -q 'fontname="Some ..Font.."' n.dot || wrong "--font in DOT: $file"
	grep -q 'Helvetica' n.dot n.svg && wrong "--font: $file"
done
rm n.dot n.svg

# --- the width of a plot, in pixels: 192 an inch ---
for width in 7in 8in; do
	"$render" --width $width "$golden/sweep.json" -o n.png -o n.pdf
	[ "$(head -c 20 n.png | tail -c 4 | od -An -tu1 | awk '{print $3 * 256 + $4}')" = $((192 * ${width%in})) ] ||
		wrong "--width $width as PNG"
done
rm n.png n.pdf

# --- a drawing higher than a page gives a warning ---
"$render" --width 178mm "$golden/chain.json" -o n.svg 2> said.txt
[ ! -s said.txt ] || wrong "a low drawing: $(cat said.txt)"
"$render" --width 178mm --no-collapse "$golden/chain.json" -o n.svg 2> said.txt
grep -q '^ktail: warning: fit drawing: it is [0-9]* mm high, more than a page (247 mm): ' said.txt ||
	wrong "a high drawing: $(cat said.txt)"
rm n.svg said.txt

# --- a PDF has the size of the SVG: no margins of its own ---
for file in "$machine" "$golden/distilled.json" "$golden/sweep.json"; do
	"$render" "$file" -o n.svg -o n.pdf
	svg=$(sed -n 's/.*<svg.* width="\([0-9]*\).*/\1/p' n.svg | head -n 1)
	pdf=$(grep -a -o 'MediaBox \[ 0 0 [0-9]*' n.pdf | head -n 1)
	case $pdf in
	"MediaBox [ 0 0 $svg" | "MediaBox [ 0 0 $((svg + 1))") ;;
	*) wrong "PDF of $file: $pdf, SVG: $svg" ;;
	esac
done
rm n.svg n.pdf

# --- a deprecated option gives one note ---
"$render" -T svg "$machine" 2> old.txt | cmp - a.svg || wrong "-T"
[ "$(cat old.txt)" = "ktail: note: -T is an old name of -f and will be removed in the next version" ] ||
	wrong "-T: $(cat old.txt)"

# --- input that does not exist, or is not a machine ---
expect 2 "No such file" nothing.json -o n.svg
expect 2 "Is a directory" "$golden" -o n.svg
expect 3 "line 1" -o n.svg
input=/dev/zero
expect 3 "standard input: line 1" -o n.svg
input=/dev/null
size=$(wc -c < "$machine")
for n in 1 100 $((size / 2)) $((size - 3)); do
	head -c "$n" "$machine" > cut.json
	expect 3 "cut.json" cut.json -o n.svg
done
sed 's/ktail-fsm/ktail-other/' "$machine" > other.json
expect 3 '"format"' other.json -o n.dot
sed 's/"count": [0-9]*/"count": 7/' "$machine" > sums.json
expect 3 'sums.json: the "count" of "transitions" adds up to [0-9]*, but the "events" of "words" to' sums.json -o n.dot

# --- distilled machines ---
distilled=$golden/distilled.json
expect 0 '' "$distilled" -o s.svg -o s.png -o s.pdf -f svg
cmp s.svg "$golden/distilled.svg" && cmp s.pdf s.svg || wrong "-f goes for all pictures"
expect 0 '' "$distilled" -o s.svg --title 'A <title>'
grep -q 'A &lt;title&gt;' s.svg || wrong "the title of a distilled machine"
expect 0 '' "$distilled" -o n.dot --title 'A "title" & <more>'
dot -Tsvg n.dot >n.svg && "$check" n.svg | grep -qF 'A "title" & <more>' ||
	wrong "the DOT of a distilled machine"
# On a page of 178 mm, letters are large enough, and the picture is no higher than the page.
expect 0 '' --width 178mm "$golden/distilled-columns.json" -o s.svg
grep -q '<svg width="504.6pt" height="[1-6]..\..pt"' s.svg || wrong "the page of a distilled machine"
expect 2 "give a --width of 178mm or more" --width 170mm "$golden/distilled-columns.json" -o n.svg
# Each letter is in the list.
expect 0 '' --list "$golden/distilled-columns.json" -o s.svg
grep -q '<text[^>]*>[^<]*UVM_ALLOC_SEMAPHORE_POOL.1,.*</text>' s.svg || wrong "the list of a distilled machine"
sed 's/"count": 2/"count": 3/' "$distilled" > more.json
expect 3 "more.json: states\[[0-9]*\].visits: [0-9]*, but it is entered" more.json -o n.svg

# --- sweeps: plots, never DOT ---
sweep=$golden/sweep.json
expect 0 '' "$sweep" -o s.svg -o s.png -o s.pdf -f svg
cmp s.svg "$golden/sweep.svg" && cmp s.pdf s.svg || wrong "-f goes for all plots"
"$render" -f svg < "$sweep" | cmp - "$golden/sweep.svg" || wrong "sweep from standard input"
rm s.svg s.png s.pdf
expect 0 '' "$sweep" -o s.svg -o s.png -o s.pdf --title 'A <title> & "more"'
"$check" s.svg | grep -qxF 'text - A <title> & "more"' || wrong "title of a plot"
[ "$(head -c 8 s.png | od -An -tx1 | tr -d ' \n')" = 89504e470d0a1a0a ] || wrong "s.png"
[ "$(head -c 5 s.pdf)" = %PDF- ] || wrong "s.pdf"
expect 2 "only the layout of a machine is written as json" -f json "$sweep"
expect 2 "svg, png or pdf, not as dot" "$sweep"
expect 2 "svg, png or pdf, not as dot" "$sweep" -o n.svg -o n.dot
size=$(wc -c < "$sweep")
for n in 1 100 $((size / 2)) $((size - 3)); do
	head -c "$n" "$sweep" > cut.json
	expect 3 "cut.json" cut.json -o n.svg
done
sed 's/"k": 7/"k": 5/' "$sweep" > order.json
expect 3 'order.json: rows\[[0-9]*\].k: must be greater than that of the previous row' order.json -o n.png
expect 2 "No such file" "$sweep" -o none/a.pdf
expect 2 "No space" "$sweep" -f svg -o /dev/full
expect 2 "No space" "$sweep" -f png -o /dev/full
expect 2 "No space" "$sweep" -f pdf -o /dev/full

# --- if output cannot be written, no partial file is left and no old file is lost ---
expect 2 "No such file" "$machine" -o none/a.svg
expect 2 "No space" "$machine" -f svg -o /dev/full
mkdir folder.svg
expect 2 "Is a directory" "$machine" -o folder.svg
echo old > old.svg
expect 3 "cut.json" cut.json -o old.svg
[ "$(cat old.svg)" = old ] || wrong "an old file was lost"
"$render" "$machine" > /dev/full 2> err.txt && wrong "a full standard output"
grep -q 'standard output: No space' err.txt || wrong "$(cat err.txt)"
"$render" --help > /dev/full 2> /dev/null && wrong "--help to a full standard output"

# --- a closed standard stream is an error if it is needed; no other file takes its descriptor ---
"$render" "$machine" -o closed.svg -o - 2> /dev/null >&- && wrong "closed standard output"
cmp closed.svg a.svg || wrong "closed standard output: another picture"
"$render" -o closed.dot 2> /dev/null <&- && wrong "closed standard input"
"$render" "$machine" -o /dev/stdout 2> /dev/null >&- && wrong "closed /dev/stdout"
"$render" "$machine" -o closed.dot <&- >&- 2>&- || wrong "all closed"
cmp closed.dot "$wanted" || wrong "all closed: another drawing"

[ $failures = 0 ]
