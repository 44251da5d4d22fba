#!/bin/bash
# SPDX-License-Identifier: MIT
# Runs the commands in README.md and the guide that require no GPU, no root and no service on the
# installation: as they are written, but with the installed workloads instead of built ones, and the installed
# examples of `ktail raw`.
# Usage: test-installed.sh README CORPUS     CORPUS: the folder that README.md calls corpus
set -u
readme=$(realpath "$1")
pages=("$readme" "$(dirname "$readme")"/docs/guide/*.md)
corpus=$(realpath "$2")
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
ln -s "$corpus" corpus
failures=0

fail() {
	echo "FAIL: $*"
	tail -n 10 out | sed 's/^/  /'
	failures=$((failures + 1))
}

# check COMMAND...: must succeed.
check() {
	"$@" >out 2>&1 </dev/null || fail "status $?: $*"
}

ktail=$(command -v ktail) || { echo 'FAIL: ktail is not on PATH'; exit 1; }
prefix=${ktail%/bin/ktail}
workloads=$(dirname "$prefix"/lib/*/ktail-softgpu/corpus/vadd)
plugins=$(dirname "$prefix"/lib/*/babeltrace2/plugins/babeltrace-plugin-ktail.so)

# The commands of each page run in a folder of their own. `ktail diff` and `ktail check` exit with 1
# if they find a difference.
commands=0
for page in "${pages[@]}"; do
	mkdir -p "$work/page/raw" && cd "$work/page" && ln -s "$corpus" corpus &&
		ln -s "$prefix/share/ktail/raw" raw/examples || exit 1
	while IFS= read -r -d '' command; do
		commands=$((commands + 1))
		command=${command//build\/demo\/bin\/corpus/$workloads}
		bash -o pipefail -c "$command" >out 2>&1 </dev/null
		status=$?
		case $status$command in
		0* | 1'ktail diff '* | 1'ktail check '*) ;;
		*) fail "${page##*/}: status $status: $command" ;;
		esac
	done < <(awk '
		# A loop over several lines is one command, up to its "done".
		/^    for .*do$/ { loop = 1; text = "" }
		loop { text = text $0 "\n"; if (/^    done/) { loop = 0; printf "%s%c", text, 0 } next }
		/^    (\$ )?(ktail |printf |for |corpus\/)/ { sub(/^ *(\$ )?/, ""); printf "%s%c", $0, 0 }' "$page" |
		grep -zvE '(-- ?\./app|net://)')
	for picture in *.svg; do
		[ ! -e "$picture" ] || grep -q '</svg>' "$picture" || fail "${page##*/}: $picture is not a picture"
	done
	cd "$work" && rm -rf "$work/page" || exit 1
done
[ "$commands" -ge 60 ] || fail "only $commands commands in ${pages[*]}"

# Commands that the pages describe without an example.
check ktail --k 20 corpus/traces/vadd-4k -o fsm.png -o fsm.pdf -o fsm.json
[ "$(head -c 4 fsm.pdf)" = %PDF ] && [ "$(head -c 4 fsm.png | tail -c 3)" = PNG ] || fail "png or pdf"
check ktail-render fsm.json -o rendered.svg
for program in "$prefix"/bin/ktail*; do
	check "$program" --help
	check "$program" --version
done
for page in $(grep -oh '[a-z0-9.-]*ktail[a-z.-]*([1-8])' "${pages[@]}" | sort -u); do
	check man -w "$(echo "$page" | sed 's/.*(\(.\))/\1/')" "${page%(*}"
done
check man -w 7 babeltrace2-sink.ktail.words
check bash -c ". '$prefix/share/bash-completion/completions/ktail' && complete -p ktail"
for file in zsh/{site-functions,vendor-completions}/_ktail fish/vendor_completions.d/ktail.fish; do
	[ ! -s "$prefix/share/$file" ] || completions=$((${completions:-0} + 1))
done
[ "${completions:-0}" = 2 ] || fail "no completions for zsh or fish"
check babeltrace2 corpus/traces/vadd-4k --component=filter.ktail.normalize \
	--component=sink.ktail.words --params='output="words-of-babeltrace",name="vadd-4k"'
[ -s words-of-babeltrace/vadd-4k* ] || fail "babeltrace2 has written no words"
check ktail softgpu "$workloads/vadd"
check ktail annotate fsm.json corpus/traces/vadd-4k --rules "$prefix/share/ktail/labels.tsv"
check ktail annotate fsm.json corpus/traces/vadd-4k --rules "$prefix/share/ktail/states.tsv"

# A program can be compiled with the library.
cat >program.c <<'C'
#include <ktail/ktail.h>

int main(void)
{
	kt_words *words = NULL;
	int code = kt_words_new(&words);

	kt_words_free(words);
	return kt_exit_status(code);
}
C
check sh -c 'cc -Wall -Wextra -Werror program.c -o program $(pkg-config --cflags --libs libktail) && ./program'
cat >CMakeLists.txt <<'CMAKE'
cmake_minimum_required(VERSION 3.25)
project(program LANGUAGES C)
find_package(PkgConfig REQUIRED)
pkg_check_modules(KTAIL REQUIRED IMPORTED_TARGET libktail)
add_executable(program program.c)
target_link_libraries(program PkgConfig::KTAIL)
CMAKE
check sh -c 'cmake -S . -B by-cmake && cmake --build by-cmake && by-cmake/program'

echo "$commands commands of README.md and docs/guide, $failures failures"
[ "$failures" = 0 ]
