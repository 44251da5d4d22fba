#!/bin/sh
# SPDX-License-Identifier: MIT
# Tests transfer-switch.sh and graph-launches.sh on the software GPU: the contents of their tables,
# and the inputs that these scripts refuse.
# Usage: test-figures.sh PROJECT BUILD transfer-switch|graph-launches
set -u
project=$1
build=$2
figure=$3
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
failures=0
tab=$(printf '\t')

fail() {
	echo "FAIL: $*"
	sed 's/^/  stdout: /' "$work/out"
	sed 's/^/  stderr: /' "$work/err"
	failures=$((failures + 1))
}

# figure STATUS ARGUMENT...: runs the script with $ktail, whose path has a blank, and checks the
# exit status.
mkdir "$work/a folder"
ln -s "$build/bin" "$work/a folder/bin"
real="$work/a folder/bin/ktail"
ktail=$real
figure() {
	expected=$1
	shift
	"$project/corpus/$figure.sh" --ktail "$ktail" --workloads "$build/bin/corpus" \
		--out "$work/figure" "$@" >"$work/out" 2>"$work/err"
	status=$?
	[ "$status" -eq "$expected" ] || fail "$figure.sh $*: status $status, not $expected"
}

says() {
	grep -qF -- "$1" "$work/err" || fail "standard error lacks '$1'"
}

# row PATTERN: requires that PATTERN matches one row of the table, with cells separated by a blank.
row() {
	[ "$(tr '\t' ' ' <"$work/figure/$figure.tsv" | grep -cE -- "$1")" -eq 1 ] || {
		fail "not one row has '$1'"
		sed 's/^/  table: /' "$work/figure/$figure.tsv"
	}
}

# whole: checks that the table names the command and the GPU, that its rows have equal numbers of
# cells, that standard output shows each row of it, and that the plot is XML with text.
whole() {
	head -1 "$work/figure/$figure.tsv" | grep -q "^# corpus/$figure.sh .*--softgpu" ||
		fail "the table does not say what made it"
	sed -n 2p "$work/figure/$figure.tsv" | grep -q 'software GPU' ||
		fail "the table does not say on what"
	awk -F '\t' '/^#/ { next } !n { n = NF } NF != n || /\t\t|\t$/ { exit 1 }' \
		"$work/figure/$figure.tsv" || fail "the table's rows are not alike"
	grep -v '^#' "$work/figure/$figure.tsv" | tr -s '\t' ' ' >"$work/cells"
	sed 's/  */ /g; s/^ //; s/ $//' "$work/out" >"$work/printed"
	while IFS= read -r row; do
		grep -qFx -e "$row" "$work/printed" || fail "not on standard output: $row"
	done <"$work/cells"
	xmllint --noout "$work/figure/$figure.svg" 2>>"$work/err" || fail "the plot is not XML"
	grep -q '<text' "$work/figure/$figure.svg" || fail "the plot has no text"
}

# A ktail that runs the real one. The sh script $work/sabotage may change the output and the exit
# status.
cat >"$work/ktail" <<KTAIL
#!/bin/sh
verb=\$1
"$build/bin/ktail" "\$@" >"$work/real"
status=\$?
. "$work/sabotage"
cat "$work/real"
exit \$status
KTAIL
chmod +x "$work/ktail"

# sabotaged TEXT COMMAND ARGUMENT...: checks that the script fails with TEXT if COMMAND is the
# sabotage.
sabotaged() {
	text=$1
	printf '%s\n' "$2" >"$work/sabotage"
	shift 2
	ktail=$work/ktail
	figure 1 "$@"
	says "$text"
	ktail=$real
}

# all_sabotage ARGUMENT...: tries the faults that both scripts must find.
all_sabotage() {
	sabotaged 'output changed' '[ $verb != record ] || echo more >>"'"$work"'/real"' "$@"
	sabotaged ': failed' '[ $verb != record ] || status=1' "$@"
	edit='[ $verb != decode ] || sed -i "$edit" "'"$work"'/real"'
	sabotaged 'lost events: 3' "edit='s/\"lost_events\":0/\"lost_events\":3/'; $edit" "$@"
	sabotaged 'lost events: 2' \
		"edit='s/\"discarded_packets\":0/\"discarded_packets\":2/'; $edit" "$@"
	sabotaged 'doorbells without a moved GP_PUT: 1' "edit='s/\"idle\":0/\"idle\":1/'; $edit" "$@"
	sabotaged 'processes without their beginning or end: 1' \
		"edit='s/\"cut_processes\":0/\"cut_processes\":1/'; $edit" "$@"
	sabotaged 'the listing ends too early' "edit='/\"type\":\"end\"/d'; $edit" "$@"
	sabotaged 'no marks among the commands' \
		"edit='s/\"value\":1802792289/\"value\":1/'; $edit" "$@"
	sabotaged 'the last marks are missing' \
		"edit='s/\"value\":0,\(.*\)LOAD_INLINE/\"value\":7,\1LOAD_INLINE/;
			/LOAD_INLINE/s/\"value\":0,/\"value\":7,/'; $edit" "$@"
	# Without a mark, later submissions would be attributed to the previous call.
	sabotaged 'marks among the commands: ' \
		"awk '/\"value\":1802792289/ && ++n == 3 { sub(/1802792289/, \"5\") } { print }' \
			$work/real >$work/edited; [ \$verb != decode ] || cp $work/edited $work/real" "$@"
	sabotaged 'bytes of commands that could not be read: ' \
		"edit='s/\"after_gap\":0/\"after_gap\":1/'; $edit" "$@"
	# Without the last mark, the submissions after it are counted in the window that must be
	# empty.
	sabotaged 'submissions between two marks with nothing between: ' \
		"awk '/\"value\":1802792289/ { n++ } { l[NR] = \$0; if (/\"value\":1802792289/) at = NR }
			END { sub(/1802792289/, \"5\", l[at]); for (i = 1; i <= NR; i++) print l[i] }' \
			$work/real >$work/edited; [ \$verb != decode ] || cp $work/edited $work/real" "$@"
}

figure 0 --help
grep -q '^usage: ' "$work/out" || fail "--help: no usage"
figure 2 --no-such-option
figure 2 --out
figure 2 --rounds 0
figure 2 --ktail "$work/none"
mkdir "$work/none"
: >"$work/none/libcuda.so.1"
LD_LIBRARY_PATH=$work/none
export LD_LIBRARY_PATH
figure 77
says 'on the software GPU: '
[ ! -e "$work/figure" ] || fail "a folder is left where there is no GPU"
unset LD_LIBRARY_PATH

case $figure in
transfer-switch)
	figure 2 --memory wet
	figure 2 --max 3
	figure 0 --memory 'pinned pageable' --max 65536 --rounds 2 --calls 3 --keep -- --softgpu
	whole
	grep -qx 'pinned to-device: inline up to 24576 bytes, direct from 24577 on' "$work/out" ||
		fail "not where KT_INLINE_BYTES of the software GPU's driver puts it"
	# An inline copy has five methods and one for each dword; the semaphore's release has five.
	row '^pinned to-device 4 inline 1 1 11 60 1 0 1 0 2/2 [0-9]+ [0-9]+$'
	row '^pinned to-device 24576 inline 1 1 6154 24632 1 0 1 0 [0-9]/[0-9] [0-9]+ [0-9]+$'
	row '^pinned to-device 24577 direct 1 1 11 56 0 1 1 0 [0-9]/[0-9] [0-9]+ [0-9]+$'
	row '^pinned to-device 65536 direct 1 1 11 56 0 1 1 0 '
	row '^pinned from-device 4 direct 1 1 11 56 0 1 1 0 '
	row '^pageable to-device 16384 inline '
	row '^pageable to-device 32768 direct '
	row '^pageable from-device 24577 direct '
	[ "$(grep -c "^[pr]" "$work/figure/$figure.tsv")" -eq 68 ] ||
		fail "not a row for each of 2 memories, 2 directions and 17 sizes"
	grep -q '24576 | 24577' "$work/figure/$figure.svg" || fail "the plot does not mark the switch"
	[ -d "$work/figure/traces/pinned-switch" ] || fail "--keep: no traces"
	rm -rf "$work/figure"
	figure 1 --memory pinned --max 4096 --rounds 1 --calls 1 --no-plot -- --softgpu
	says 'find the switch: copies from pinned memory do not change'
	row '^pinned to-device 4096 inline '
	[ ! -e "$work/figure/$figure.svg" ] || fail "--no-plot: a plot was written"
	[ ! -e "$work/figure/traces" ] || fail "keeps traces without --keep"
	figure 1 --max 64 --rounds 1 --calls 1 -- --softgpu --softgpu-transfer mapped
	says 'no marks among the commands'
	all_sabotage --memory pinned --max 64 --rounds 1 --calls 1 --no-plot -- --softgpu
	;;
graph-launches)
	figure 2 --nodes many
	figure 2 --nodes 1,,2
	figure 2 --nodes 3-1
	figure 2 --draw /nonexistent.tsv
	figure 2 --calls 1
	figure 0 --nodes 1,2,10,300 --rounds 3 --calls 3 -- --softgpu
	whole
	for nodes in 1 2 10 300; do
		# A launch of one kernel has two methods in 16 bytes, as has the start of each further
		# group of 17; the rest is the semaphore's release.
		groups=$(((nodes + 16) / 17))
		row "^$nodes instantiate 0 0 0 0 0 0 0 0 0 0 0 1/1 "
		row "^$nodes repeated 1 1 $((5 + 2 * groups)) $((24 + 16 * groups)) 1 1 0 0 0 0 0 ([12])/\1 [0-9]+ [0-9]+\$"
	done
	# The first launch also has 1,280 bytes for each kernel, in pieces of up to 24 KiB.
	row '^1 first 1 1 332 1352 1 1 1 1280 0 0 0 1/1 '
	row '^300 first 2 2 [0-9]+ [0-9]+ 1 2 16 384000 0 0 0 1/1 '
	# After an upload it is as the others.
	figure 0 --nodes 10 --rounds 3 --calls 3 --no-plot --upload -- --softgpu
	row '^10 instantiate 0 0 '
	row '^10 upload 1 1 3210 12856 0 1 1 12800 0 0 0 1/1 '
	row '^10 first 1 1 7 40 1 1 0 0 0 0 0 1/1 '
	row '^10 repeated 1 1 7 40 1 1 0 0 0 0 0 2/2 '
	rm -rf "$work/figure"
	# Version 1 of the driver writes the doorbell floor(log2 n) + 1 times for n nodes.
	figure 0 --nodes 1-2,10 --rounds 2 --calls 2 --no-plot -- --softgpu --softgpu-driver=1
	# Each kernel has two methods in 16 bytes, and all but the first a wait for the one before.
	row '^1 repeated 1 1 7 40 1 1 '
	row '^2 repeated 2 2 15 84 2 2 0 0 0 0 1 '
	row '^10 repeated 4 4 49 292 10 4 0 0 0 0 9 '
	# A table can be drawn again without a GPU.
	cp "$work/figure/$figure.tsv" "$work/old.tsv"
	rm -rf "$work/figure"
	figure 0 --draw "$work/old.tsv"
	[ -s "$work/figure/$figure.svg" ] && [ -s "$work/figure/graph-times.svg" ] ||
		fail "--draw: a plot is missing"
	grep -qE '^repeated launches of 1 to 10 kernels: (-?[0-9.]+ us \+ .* MiB/s|the time does not grow with the bytes)$' "$work/out" ||
		fail "--draw: no line of least squares"
	all_sabotage --nodes 2 --rounds 2 --calls 2 --no-plot -- --softgpu
	sabotaged 'no doorbell rang for a launch' \
		"edit='s/\"doorbell_written\":true/\"doorbell_written\":false/'; $edit" \
		--nodes 2 --rounds 2 --calls 2 --no-plot -- --softgpu
	;;
esac
[ "$failures" -eq 0 ]
