# SPDX-License-Identifier: MIT
# Reads what ktail record -v prints: lines "VALUE  NAME  MEANING".

counter() { # FILE NAME: its value
	sed -n "s/^ *\([0-9][0-9]*\)  $2  .*/\1/p" "$1"
}

has_counters() { # FILE 'VALUE NAME'...: whether all are there; VALUE is a pattern
	file=$1
	shift
	for want; do
		grep -q "^ *${want%% *}  ${want#* }  " "$file" || return
	done
}
