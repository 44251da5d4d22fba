# SPDX-License-Identifier: MIT
# Functions that read the output of ktail record -v: lines "VALUE  NAME  MEANING".

counter() { # FILE NAME: prints its value
	sed -n "s/^ *\([0-9][0-9]*\)  $2  .*/\1/p" "$1"
}

has_counters() { # FILE 'VALUE NAME'...: checks that all are present; VALUE is a pattern
	file=$1
	shift
	for want; do
		grep -q "^ *${want%% *}  ${want#* }  " "$file" || return
	done
}
