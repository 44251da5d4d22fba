#!/bin/bash
# SPDX-License-Identifier: MIT
# Every program reports an error if its output cannot be written, whatever its exit status.
#   check-full.sh BIN TRACE OTHER_TRACE POINTS
bin=$1 trace=$2 other=$3 points=$4
ktail=$bin/ktail
# shellcheck source=tests/cli.sh
. "${0%/*}/../cli.sh"

# full STATUS PROGRAM ARGUMENT...: checks that the program, or ktail-render for it, reports the
# error once and exits with STATUS; on a file that can be written, it exits with $expect_bare
full() {
	local expected=$1 name=${2##*/} status
	shift
	case $name in
	ktail | ktail-*) name='ktail\(-render\)\?' ;;
	esac
	"$@" > /dev/full 2> stderr
	status=$?
	[ $status = "$expected" ] || fail "$* > /dev/full: exit status $status, not $expected: $(cat stderr)"
	[ "$(grep -c "^$name: .*: No space left on device\$" stderr)" = 1 ] ||
		fail "$* > /dev/full: said '$(cat stderr)'"
	"$@" > /dev/null 2> stderr
	status=$?
	[ -z "$expect_bare" ] || [ $status = "$expect_bare" ] ||
		fail "$*: exit status $status, not $expect_bare: $(cat stderr)"
}

# Help and version
expect_bare=0
for subcommand in $("$ktail" help --list-options | cut -f 1); do
	failure=2
	case $subcommand in
	record | softgpu) failure=125 ;;
	esac
	full $failure "$ktail" help "$subcommand"
	for option in --help -h --version -V; do
		case $subcommand in
		render) full 2 "$bin/ktail-render" $option ;;
		*) full $failure "$ktail" "$subcommand" $option ;;
		esac
	done
	n=$((n + 1))
done
[ "$n" -ge 14 ] || fail "only $n subcommands"
for option in --help -h --version -V help version; do
	full 2 "$ktail" $option
done
for program in "$bin"/ktail-*; do
	case $program in
	*/ktail-record | */ktail-softgpu) failure=125 ;;
	*) failure=2 ;;
	esac
	full $failure "$program" --help
	full $failure "$program" --version
done
full 2 "$bin/make-truth" --help
full 2 "$bin/corpus/transfers-model" --help
for program in vadd copies graphs streams microbench corpus-info; do
	[ ! -x "$bin/corpus/$program" ] || {
		"$bin/corpus/$program" --help > /dev/full 2> stderr
		[ $? = 1 ] && grep -q "^$program: write standard output: failed$" stderr ||
			fail "$program --help > /dev/full"
	}
done

# Results
seq 1 30 > a.events
seq 2 40 > b.events
"$ktail" --k 1 a.events -o a.json --kgrams a.kgrams
"$ktail" --k 1 b.events -o b.json
"$ktail" --k 1 "$trace" -o machine.json
"$ktail" sweep a.events -o sweep.json 2> /dev/null
full 2 "$ktail" --k 1 a.events
full 2 "$ktail" --k 1 a.events -o -
full 2 "$ktail" infer --k 1 a.events -o result.json -o -
full 2 "$ktail" sweep a.events
full 2 "$ktail" merge a.kgrams
full 2 "$ktail" convert a.json
full 2 "$ktail" check a.json a.events
full 2 "$ktail" diff a.json a.json
full 2 "$ktail" score a.json a.json
full 2 "$ktail" annotate machine.json "$trace"
full 2 "$ktail" decode "$trace"
full 2 "$ktail" decode --ioctls "$trace"
full 2 "$ktail" decode --stats "$trace"
full 2 "$ktail" stats "$trace"
full 2 "$bin/ktail-render" a.json
full 2 "$bin/ktail-render" sweep.json -f svg
full 2 "$bin/make-truth" "$points"
full 2 "$bin/corpus/transfers-model"

# A negative answer
expect_bare=1
full 2 "$ktail" diff a.json b.json
full 2 "$ktail" diff a.events b.events --k 1
full 2 "$ktail" check a.json b.events

# An earlier error keeps its status.
expect_bare=3
full 3 "$ktail" decode --brief "$trace" "$other"

[ $failures = 0 ]
