# SPDX-License-Identifier: MIT
# Adds up accesses by thread, kind, mapping and offset: from the output of counted-threads, then
# from a trace as text, in the mappings that the program has named. Prints what differs, then how
# many accesses there were. Usage: awk -f counted-accesses.awk COUNTS TRACE-TEXT
function field(name) {
	if (!match($0, "[ {]" name " = [^,} ]*")) {
		return ""
	}
	return substr($0, RSTART + length(name) + 4, RLENGTH - length(name) - 4)
}

FNR == NR {
	counted[$1 " " $2 " " $3 " " $4] += $5
	ours[$3] = 1
	next
}

/gpu_stack:map:/ {
	start[field("mapping")] = field("address")
}

/gpu_stack:access:/ {
	at = start[field("mapping")]
	if (at in ours) {
		op = field("op")
		gsub("\"", "", op)
		traced[field("tid") " " op " " at " " field("offset")]++
		n++
	}
}

END {
	for (key in counted) {
		if (counted[key] != traced[key]) {
			print key ": " traced[key] + 0 " in the trace, not " counted[key]
		}
	}
	for (key in traced) {
		if (!(key in counted)) {
			print key ": " traced[key] " in the trace, not counted"
		}
	}
	print n + 0 " accesses"
}
