# SPDX-License-Identifier: MIT
# What transfer-switch.sh and graph-launches.sh share; to be sourced, with `here` (this
# folder), `name` (the script's), `out`, `ktail`, `workloads`, `seconds`, `keep` and `plot` set.

figures_fail() {
	echo "$name: $*" >&2
	exit 2
}

# Something is wrong with what was measured: said at once, counted in `failures`.
figures_wrong() {
	echo "$name: $*" >&2
	failures=$((failures + 1))
}

# is_number TEXT: a whole number above 0 without leading zeros.
is_number() {
	case $1 in
	'' | 0* | *[!0-9]*) return 1 ;;
	esac
}

# is_list TEXT: such numbers with commas between.
is_list() {
	case $1 in
	'' | ,* | *, | *,,* | 0* | *,0* | *[!0-9,]*) return 1 ;;
	esac
}

# figures_options RECORD-OPTION...: sets record_options and, for runs on the software GPU
# without the recorder, bare.
figures_options() {
	record_options="--access off --subbuf-size 262144 --num-subbuf 8 $*"
	soft=''
	bare=''
	while [ $# -gt 0 ]; do
		case $1 in
		--softgpu) soft=yes ;;
		--softgpu-driver=* | --softgpu-transfer=*) bare="$bare --${1#--softgpu-}" ;;
		--softgpu-driver | --softgpu-transfer)
			[ $# -ge 2 ] || figures_fail "parse options: $1 needs an argument"
			bare="$bare --${1#--softgpu-} $2"
			shift ;;
		esac
		shift
	done
	[ -z "$soft" ] || bare="$ktail softgpu$bare"
}

# Finds the programs, asks for the GPU, makes the folders.
figures_begin() {
	if [ -z "$ktail" ]; then
		ktail=$(command -v ktail) || ktail=''
	fi
	for folder in release dev demo; do
		if [ -z "$ktail" ] && [ -x "$here/../build/$folder/bin/ktail" ]; then
			ktail=$here/../build/$folder/bin/ktail
		fi
	done
	[ -n "$ktail" ] || figures_fail "find ktail: neither on PATH nor built; give --ktail"
	ktail=$(command -v "$ktail") || figures_fail "find ktail: no such program"
	[ -n "$workloads" ] || workloads=$(dirname "$ktail")/corpus
	[ -x "$workloads/graphs" ] ||
		figures_fail "find the workloads: not in $workloads; give --workloads"
	if [ "$plot" = yes ] && ! command -v gnuplot >/dev/null; then
		figures_fail "find gnuplot: not on PATH; give --no-plot for the table alone"
	fi
	figures_options "$@"
	work=$(mktemp -d) || exit 2
	trap 'rm -rf "$work"' EXIT
	trap 'exit 2' HUP INT TERM
	limited=''
	if command -v timeout >/dev/null; then
		limited="timeout -k 10 $seconds"
	fi
	figures_host
	mkdir -p "$out" || exit 2
	out=$(cd "$out" && pwd) || exit 2
	traces=$work/traces
	[ "$keep" = no ] || traces=$out/traces
	mkdir -p "$traces" || exit 2
	failures=0
}

# Sets host: the GPU and its driver in words.
figures_host() {
	# shellcheck disable=SC2086
	$limited $bare "$workloads/corpus-info" >"$work/info" 2>"$work/err" </dev/null
	case $? in
	0) ;;
	77)
		cat "$work/err" >&2
		[ -n "$soft" ] || echo "$name: no GPU here; on the software GPU: $name -- --softgpu" >&2
		exit 77 ;;
	*) cat "$work/err" >&2; figures_fail "ask for the GPU: corpus-info failed" ;;
	esac
	host="$(sed -n 's/^gpu=//p' "$work/info"), CUDA $(sed -n 's/^cuda=//p' "$work/info")"
	release=$(sed -n 's/^NVRM version:.* \([0-9][0-9]*\.[0-9][0-9.]*\) .*/\1/p' \
		/proc/driver/nvidia/version 2>/dev/null)
	if [ -n "$soft" ]; then
		host="$host, the software GPU: its times mean nothing"
	elif [ -n "$release" ]; then
		host="$host, driver $release"
	fi
}

# bare WORKLOAD OPTION...: without the recorder; standard output to $work/bare, standard error
# to $work/bare.err.
figures_bare() {
	program=$1
	shift
	# shellcheck disable=SC2086
	$limited $bare "$workloads/$program" "$@" >"$work/bare" 2>"$work/bare.err" </dev/null ||
		{
			cat "$work/bare" "$work/bare.err" >&2
			figures_wrong "run $program $*: failed"
			exit 1
		}
}

# figures_windows TRACE WORKLOAD OPTION...: bare and recorded, compared; what was submitted
# between the marks (see windows.awk) to $work/windows. Ends the script where there is nothing.
figures_windows() {
	trace=$traces/$1
	shift
	figures_bare "$@"
	program=$1
	shift
	rm -rf "$trace"
	# shellcheck disable=SC2086
	if ! $limited "$ktail" record $record_options -o "$trace" -- "$workloads/$program" "$@" \
		>"$work/recorded" 2>"$work/err" </dev/null; then
		cat "$work/recorded" "$work/err" >&2
		figures_wrong "record $program $*: failed"
		exit 1
	fi
	cmp -s "$work/bare" "$work/recorded" ||
		figures_wrong "record $program $*: output changed"
	"$ktail" decode --json "$trace" 2>"$work/err" >"$work/json" &&
		awk -f "$here/windows.awk" "$work/json" >"$work/all" || {
		cat "$work/err" >&2
		figures_wrong "decode the trace of $program $*: failed"
		exit 1
	}
	rm -f "$work/json"
	figures_check "$program $*"
	[ "$keep" = yes ] || rm -rf "$trace"
	grep '^window' "$work/all" >"$work/windows" || exit 1
}

# figures_check COMMAND: whether $work/all can be relied on.
figures_check() {
	problem=$(awk -F '\t' '
		$1 == "window" && $2 == 0 && $3 == 0 { nothing += $4 + $5; ended = 1 }
		$1 == "window" && $2 != 0 && $16 != 0 { unread += $16 }
		$1 == "trace" {
			whole = 1
			if ($3) print "lost events: " $3
			if ($4) print "processes without their beginning or end: " $4
			if ($5) print "doorbells without a moved GP_PUT: " $5
			if ($6 == 0) print "no marks among the commands"
			else if (!ended) print "the last marks are missing"
		}
		END {
			if (!whole) print "the listing ends too early"
			if (unread) print "bytes of commands that could not be read: " unread
			if (nothing) print "submissions between two marks with nothing between: " nothing
		}' "$work/all")
	if [ -n "$problem" ]; then
		figures_wrong "record $1: $(echo "$problem" | paste -s -d ';' - | sed 's/;/; /g')"
	fi
}

# figures_table FILE COLUMNS ROWS: the file, with a head that says how it was made; and on
# standard output, its columns aligned.
figures_table() {
	{
		echo "# $made"
		echo "# $host; $(date -u +%Y-%m-%d)"
		echo "$2" | tr ' ' '\t'
		cat "$3"
	} >"$1" || exit 2
	awk -F '\t' '
		/^#/ { print; next }
		{ cells[++n] = $0
		  for (i = 1; i <= NF; i++) if (length($i) > width[i]) width[i] = length($i) }
		END {
			for (j = 1; j <= n; j++) {
				columns = split(cells[j], cell, "\t")
				line = ""
				for (i = 1; i <= columns; i++)
					line = line sprintf("%" width[i] "s  ", cell[i])
				sub(/ *$/, "", line)
				print line
			}
		}' "$1"
}

# figures_plot FILE.svg SCRIPT: gnuplot draws what SCRIPT says.
figures_plot() {
	[ "$plot" = yes ] || return 0
	{
		echo "set terminal svg size 900,$3 font 'sans-serif,13' background '#ffffff'"
		echo "set output '$(echo "$1" | sed "s/'/''/g")'"
		cat "$2"
	} >"$work/gnuplot"
	gnuplot "$work/gnuplot" >"$work/err" 2>&1 && [ -s "$1" ] || {
		cat "$work/err" >&2
		figures_wrong "draw $1: gnuplot failed"
	}
}
