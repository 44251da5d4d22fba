# SPDX-License-Identifier: MIT
# Functions shared by transfer-switch.sh and graph-launches.sh. Before a script sources this file,
# it must define `here` (this folder), `name` (of the script), `made` (its command line), `out`,
# `rounds`, `calls` and usage().

ktail=${KTAIL:-}
workloads=${KTAIL_WORKLOADS:-}
seconds=60
keep=no
plot=yes

figures_fail() {
	echo "$name: $*" >&2
	exit 2
}

# Reports a problem of a measurement at once and counts it in `failures`.
figures_wrong() {
	echo "$name: $*" >&2
	failures=$((failures + 1))
}

# is_number TEXT: succeeds if TEXT is a positive integer without leading zeros.
is_number() {
	case $1 in
	'' | 0* | *[!0-9]*) return 1 ;;
	esac
}

# is_list TEXT: succeeds if TEXT is a comma-separated list of positive integers without
# leading zeros.
is_list() {
	case $1 in
	'' | ,* | *, | *,,* | 0* | *,0* | *[!0-9,]*) return 1 ;;
	esac
}

# figures_number OPTION VALUE: ends the script unless is_number accepts VALUE.
figures_number() {
	is_number "$2" ||
		figures_fail "$1 must be a whole number above 0, not '$2'"
}

# figures_option ARGUMENT...: parses the first argument and its value if it is an option
# common to both scripts. Sets `taken` to the number of parsed arguments: 0 if the first one
# is not such an option.
figures_option() {
	taken=1
	case $1 in
	--help) usage; exit 0 ;;
	--keep) keep=yes; return ;;
	--no-plot) plot=no; return ;;
	--out | --rounds | --calls | --ktail | --workloads | --timeout) figures_value "$@" ;;
	*) taken=0; return ;;
	esac
	case $1 in
	--rounds | --calls | --timeout) figures_number "$1" "$2" ;;
	esac
	taken=2
	case $1 in
	--out) out=$2 ;;
	--ktail) ktail=$2 ;;
	--workloads) workloads=$2 ;;
	--rounds) rounds=$2 ;;
	--calls) calls=$2 ;;
	--timeout) seconds=$2 ;;
	esac
}

# figures_value OPTION [VALUE...]: ends the script if no value follows the option.
figures_value() {
	[ $# -ge 2 ] || figures_fail "$1 needs an argument"
}

# figures_options RECORD-OPTION...: sets record_options. If the options select the software
# GPU, sets soft to "yes", and bare to the options of the software GPU, which runs without
# the recorder need, too.
figures_options() {
	record_options="--access off --subbuf-size 262144 --num-subbuf 8 $*"
	soft=''
	bare=''
	while [ $# -gt 0 ]; do
		case $1 in
		--softgpu) soft=yes ;;
		--softgpu-driver=* | --softgpu-transfer=*) bare="$bare --${1#--softgpu-}" ;;
		--softgpu-driver | --softgpu-transfer)
			[ $# -ge 2 ] || figures_fail "$1 needs an argument"
			bare="$bare --${1#--softgpu-} $2"
			shift ;;
		esac
		shift
	done
}

# figures_run WORKLOAD OPTION...: runs the workload without the recorder.
figures_run() {
	workload=$workloads/$1
	shift
	# shellcheck disable=SC2086
	if [ -n "$soft" ]; then
		$limited "$ktail" softgpu $bare "$workload" "$@" </dev/null
	else
		$limited "$workload" "$@" </dev/null
	fi
}

# figures_begin RECORD-OPTION...: finds the programs, checks for a GPU and creates the
# folders. Passes the options to figures_options.
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
	# Workloads in the build tree are preferred to installed ones.
	for folder in "$(dirname "$ktail")/corpus" "$(dirname "$ktail")"/../lib/*/ktail-softgpu/corpus; do
		if [ -z "$workloads" ] && [ -x "$folder/graphs" ]; then
			workloads=$folder
		fi
	done
	[ -x "$workloads/graphs" ] ||
		figures_fail "find the workloads: not in ${workloads:-$(dirname "$ktail")/corpus}; give --workloads"
	if [ "$plot" = yes ] && ! command -v gnuplot >/dev/null; then
		figures_fail "find gnuplot: not on PATH; give --no-plot to get only the table"
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

# figures_begin_drawing TABLE.tsv: prepares to draw the table of an earlier run, from whose head it
# takes the description of the GPU.
figures_begin_drawing() {
	[ -r "$1" ] || figures_fail "read $1: no such file"
	command -v gnuplot >/dev/null || figures_fail "find gnuplot: not on PATH"
	host=$(sed -n '2s/^# //p' "$1")
	work=$(mktemp -d) || exit 2
	trap 'rm -rf "$work"' EXIT
	trap 'exit 2' HUP INT TERM
	mkdir -p "$out" || exit 2
	out=$(cd "$out" && pwd) || exit 2
	failures=0
}

# Sets `host` to a description of the GPU and its driver.
figures_host() {
	figures_run corpus-info >"$work/info" 2>"$work/err"
	case $? in
	0) ;;
	77)
		cat "$work/err" >&2
		[ -n "$soft" ] || echo "$name: no GPU here; on the software GPU: $name -- --softgpu" >&2
		exit 77 ;;
	*) cat "$work/err" >&2; figures_fail "query the GPU: corpus-info failed" ;;
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

# figures_bare WORKLOAD OPTION...: like figures_run, with standard output in $work/bare and
# standard error in $work/bare.err. Ends the script if the workload fails.
figures_bare() {
	figures_run "$@" >"$work/bare" 2>"$work/bare.err" || {
		cat "$work/bare" "$work/bare.err" >&2
		figures_wrong "run $*: failed"
		exit 1
	}
}

# figures_windows TRACE MARKS WORKLOAD OPTION...: runs the workload without and with the
# recorder, compares the outputs, and writes the counts between marks (see windows.awk) to
# $work/windows. Reports a problem if the trace does not have MARKS marks; ends the script
# if it has no windows.
figures_windows() {
	trace=$traces/$1
	marks=$2
	shift 2
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
	"$ktail" decode -f json "$trace" 2>"$work/err" >"$work/json" &&
		awk -f "$here/windows.awk" "$work/json" >"$work/all" || {
		cat "$work/err" >&2
		figures_wrong "decode the trace of $program $*: failed"
		exit 1
	}
	rm -f "$work/json"
	figures_check "$marks" "$program $*"
	[ "$keep" = yes ] || rm -rf "$trace"
	grep '^window' "$work/all" >"$work/windows" || exit 1
}

# figures_check MARKS COMMAND: reports a problem if the counts in $work/all are unreliable.
# For example, if a mark is missing, submissions after it are counted for the previous call.
figures_check() {
	problem=$(awk -F '\t' -v marks="$1" '
		$1 == "window" && $2 == 0 && $3 == 0 { nothing += $4 + $5; ended = 1 }
		$1 == "window" && $2 != 0 && $16 != 0 { unread += $16 }
		$1 == "trace" {
			whole = 1
			if ($3) print "lost events: " $3
			if ($4) print "processes without their beginning or end: " $4
			if ($5) print "doorbells without a moved GP_PUT: " $5
			if ($6 == 0) print "no marks among the commands"
			else if (!ended) print "the last marks are missing"
			else if ($6 != marks) print "marks among the commands: " $6 ", not " marks
		}
		END {
			if (!whole) print "the listing ends too early"
			if (unread) print "bytes of commands that could not be read: " unread
			if (nothing) print "submissions between two marks with nothing between: " nothing
		}' "$work/all")
	if [ -n "$problem" ]; then
		figures_wrong "record $2: $(echo "$problem" | paste -s -d ';' - | sed 's/;/; /g')"
	fi
}

# figures_table FILE COLUMNS ROWS SHOWN: writes FILE: its origin, the names in COLUMNS, and
# the contents of the file ROWS. Prints FILE with aligned columns; on a terminal, which is
# usually too narrow for all columns, prints only those named in SHOWN.
figures_table() {
	{
		echo "# $made"
		echo "# $host; $(date -u +%Y-%m-%d)"
		echo "$2" | tr ' ' '\t'
		cat "$3"
	} >"$1" || exit 2
	figures_shown=
	[ ! -t 1 ] || figures_shown=" $4 "
	awk -F '\t' -v shown="$figures_shown" -v file="$1" '
		/^#/ { if (shown && length($0) > 80) sub(/; /, ";\n# "); print; next }
		{ cells[++n] = $0
		  if (n == 1)
			for (i = 1; i <= NF; i++) skipped[i] = shown && !index(shown, " " $i " ")
		  for (i = 1; i <= NF; i++) if (length($i) > width[i]) width[i] = length($i) }
		END {
			for (j = 1; j <= n; j++) {
				columns = split(cells[j], cell, "\t")
				line = ""
				for (i = 1; i <= columns; i++)
					if (!skipped[i]) line = line sprintf("%" width[i] "s  ", cell[i])
				sub(/ *$/, "", line)
				print line
			}
			if (shown) print "all columns: " file
		}' "$1"
}

# figures_multiplot ROWS,COLUMNS: prints the gnuplot command for several plots in one
# drawing. The title is $host: the GPU, and for the software GPU a warning about its times.
figures_multiplot() {
	echo "set multiplot layout $1 title '$(echo "$host" | sed "s/'/''/g")' noenhanced"
}

# figures_plot FILE.svg SCRIPT HEIGHT: draws FILE.svg, 900 pixels wide and HEIGHT pixels
# high, with the gnuplot commands in the file SCRIPT.
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
