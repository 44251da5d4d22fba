# SPDX-License-Identifier: MIT
# Checks babeltrace2's text: every api_exit closes the innermost open call of its thread
# with its correlation and name; calls open at the end are reported. Prints the errors, then
# a line "calls N open M threads T". Variables: none.
function field(name,   text) {
	if (!match($0, "[ {]" name " = (\"[^\"]*\"|[^,} ]*)")) {
		return ""
	}
	text = substr($0, RSTART, RLENGTH)
	sub(/^.* = /, "", text)
	gsub(/"/, "", text)
	return text
}
/gpu_stack:api_(enter|exit|coverage):/ {
	key = field("pid") " " field("tid")
}
/gpu_stack:api_enter:/ {
	calls++
	depth[key]++
	stack[key, depth[key]] = field("correlation") " " field("name")
	threads[key] = 1
}
/gpu_stack:api_exit:/ {
	if (depth[key] == 0 || stack[key, depth[key]] != field("correlation") " " field("name")) {
		print "not the innermost: " $0
	} else {
		depth[key]--
	}
}
/gpu_stack:api_coverage:/ && field("state") == "wrapped" {
	covered += field("calls")
}
END {
	for (key in depth) {
		still += depth[key]
	}
	for (key in threads) {
		n++
	}
	printf "calls %d covered %d open %d threads %d\n", calls, covered, still, n
}
