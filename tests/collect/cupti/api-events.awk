# SPDX-License-Identifier: MIT
# Converts API events in babeltrace2's text to lines "enter NAME CORRELATION API ARGUMENTS"
# and "exit NAME CORRELATION RESULT"; pointers except the buffer's are "*". Checks that an
# exit is on its entry's thread and has the right duration.
function field(name,   at, rest) {
	at = index($0, " " name " = ")
	if (!at) {
		return ""
	}
	rest = substr($0, at + length(name) + 4)
	sub(/[,} ].*/, "", rest)
	gsub(/"/, "", rest)
	return rest
}

/gpu_stack:api_enter/ {
	n = split($0, word, / = 0x/)
	text = ""
	for (i = 2; i <= n; i++) {
		sub(/[ ,].*/, "", word[i])
		text = text " " (length(word[i]) > 8 && word[i] != "7F0000000000" ? "*" : word[i])
	}
	thread[field("correlation")] = field("tid")
	print "enter", field("name"), field("correlation"), field("api") text
}

/gpu_stack:api_exit/ {
	if (thread[field("correlation")] != field("tid") || field("duration") + 0 > 1e9) {
		print "wrong:", $0
	}
	print "exit", field("name"), field("correlation"), field("known") ":" field("result")
}
