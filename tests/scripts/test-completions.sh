#!/bin/bash
# SPDX-License-Identifier: MIT
# scripts/make-completions: bash (and fish, if it is installed) proposes the right words,
# zsh can read its file, and the table of options in the manual is that of the programs.
# Usage: test-completions.sh ROOT BUILD
root=$1
build=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failures=0

fail() {
	echo "FAILED: $*"
	failures=$((failures + 1))
}

# proposes EXPECTED WORD...: checks what bash proposes for the last word
proposes() {
	local expected=$1
	shift
	COMP_WORDS=("$@")
	COMP_CWORD=$(($# - 1))
	_ktail 2> "$work/err"
	grep -v 'compopt: not currently executing' "$work/err" && fail "$*: it complains"
	[ "${COMPREPLY[*]}" = "$expected" ] || fail "$*: '${COMPREPLY[*]}', not '$expected'"
}

. "$build/completions/ktail.bash"
complete -p ktail | grep -q -- '-F _ktail ktail' || fail "bash: $(complete -p ktail)"
proposes 'softgpu sweep score stats' ktail s
proposes record ktail rec
proposes '' ktail nosuch
proposes '--brief' ktail decode --bri
proposes '--access --access-limit' ktail record --acc
proposes 'off coalesced exact' ktail record --access ''
proposes coalesced ktail record --access = co
proposes 'off coalesced exact' ktail record --access =
proposes 'process thread channel' ktail words -w ''
proposes 'table1' ktail --alphabet ta
proposes '--alphabet' ktail --al
proposes '--kernel=' ktail record --kern
proposes beside ktail record --kernel =
proposes '' ktail record --kernel b
proposes '' ktail decode corpus/tra
proposes 'diff' ktail help di
proposes '' ktail words -o ''
proposes 'cmp' ktail record -o d -- cmp
proposes '' ktail record -o d -- cmp --sil
# Each option of each program.
for subcommand in $("$build/bin/ktail" help --list-options | cut -f 1); do
	while IFS=$'\t' read -r name _; do
		COMP_WORDS=(ktail "$subcommand" "--$name")
		COMP_CWORD=2
		_ktail 2> /dev/null
		[[ " ${COMPREPLY[*]} " =~ " --$name"=?" " ]] || fail "$subcommand: --$name is not proposed"
	done < <("$build/bin/ktail" "$subcommand" --list-options)
done

if command -v shellcheck > /dev/null; then
	shellcheck -s bash "$build/completions/ktail.bash" || fail "bash: shellcheck"
fi
if command -v zsh > /dev/null; then
	zsh -fn "$build/completions/ktail.zsh" || fail "zsh cannot read its completions"
fi
if command -v fish > /dev/null; then
	export HOME=$work XDG_CONFIG_HOME=$work
	fish --no-execute "$build/completions/ktail.fish" || fail "fish cannot read its completions"
	fish --no-config -c "source $build/completions/ktail.fish
		complete -C 'ktail swe'; complete -C 'ktail record --access '; complete -C 'ktail --alphab'" > "$work/fish"
	[ "$(cut -f 1 "$work/fish" | tr '\n' ' ')" = 'sweep coalesced exact off --alphabet ' ] ||
		fail "fish proposes $(cat "$work/fish")"
fi

"$root/scripts/make-completions" "$build/bin" man > "$work/page"
diff "$root/docs/man/ktail-options.7" "$work/page" > "$work/diff" || {
	cat "$work/diff"
	fail "docs/man/ktail-options.7 is stale: scripts/make-completions $build/bin man > docs/man/ktail-options.7"
}
"$root/scripts/make-completions" "$build/bin" tcsh 2> "$work/err" && fail "it knows tcsh"
grep -q '^usage: make-completions' "$work/err" || fail "no usage: $(cat "$work/err")"
[ $failures = 0 ]
