# SPDX-License-Identifier: MIT
# Converts `wait` events in babeltrace2's text to lines: DEVICE CALL RESULT ERROR, "long"
# from 20 ms on.
function field(name,   at, rest) {
	at = index($0, " " name " = ")
	rest = substr($0, at + length(name) + 4)
	sub(/[,} ].*/, "", rest)
	gsub(/"/, "", rest)
	return rest
}

/gpu_stack:wait/ {
	print field("device"), field("call"), field("result"), field("error") \
		(field("duration") + 0 >= 20000000 ? " long" : "")
}
