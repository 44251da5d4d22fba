# SPDX-License-Identifier: MIT
# Edits a listing of `ktail decode --raw`: replaces recorded addresses by those of buffers.
#   awk -v map="ADDRESS=EXPRESSION ..." -f move-addresses.awk LISTING
# ADDRESS has hexadecimal digits after 0x, EXPRESSION is such as $a+16. Replaced are values of two
# methods, an upper and a lower half, and pairs of dwords in data, the lower half first.
function pad(digits) {
	while (length(digits) < 8) digits = "0" digits
	return digits
}

function digits(word) {
	sub(/^0x/, "", word)
	return pad(word)
}

BEGIN {
	n = split(map, pairs, " ")
	for (i = 1; i <= n; i++) {
		at = index(pairs[i], "=")
		address = substr(pairs[i], 3, at - 3)
		low = substr(address, length(address) - 7)
		high = pad(substr(address, 1, length(address) - 8))
		to[high, low] = substr(pairs[i], at + 1)
	}
}

function flush_held() {
	if (held != "") print held
	held = ""
}

# An upper half is held until the lower half is known; its fields follow it.
/ (OFFSET_IN_UPPER|OFFSET_OUT_UPPER|SET_SEMAPHORE_A) = 0x/ {
	flush_held()
	held = $0
	high_word = digits($NF)
	next
}
held != "" && / (OFFSET_IN_LOWER|OFFSET_OUT|OFFSET_OUT_LOWER|SET_SEMAPHORE_B) = 0x/ {
	if ((high_word, digits($NF)) in to) {
		sub(/ = 0x[0-9a-f]*/, " = " to[high_word, digits($NF)], held)
		sub(/ = 0x[0-9a-f]*$/, " = " to[high_word, digits($NF)])
	}
	print held
	held = ""
	print
	next
}
held != "" && /^ *(VALUE|UPPER) = 0x[0-9a-f]*$/ { held = held "\n" $0; next }

# Host semaphores have the lower half first; the payload follows.
/ SEM_ADDR_LO = 0x/ { low_line = $0; low_word = digits($NF); next }
low_line != "" && / SEM_ADDR_HI = 0x/ {
	if ((digits($NF), low_word) in to) {
		sub(/ = 0x[0-9a-f]*/, " = " to[digits($NF), low_word], low_line)
		sub(/ = 0x[0-9a-f]*$/, " = " to[digits($NF), low_word])
	}
	print low_line
	low_line = ""
	print
	next
}
low_line != "" && /^ *OFFSET = 0x[0-9a-f]*$/ { next }

# Data: a pair may begin in one line and end in the next.
/^ *[0-9]+: +[0-9a-f]+( |$)/ && length($2) == 8 {
	for (i = 2; i <= NF; i++) {
		if (expected != "" && $i == expected_high) {
			word = "hi(" expected ")"
			pending_word = "lo(" expected ")"
		} else {
			word = $i
		}
		if (pending_word != "") {
			out = out " " pending_word
		}
		expected = ""
		pending_word = word
		for (pair in to) {
			split(pair, halves, SUBSEP)
			if (halves[2] == $i && word == $i) {
				expected = to[pair]
				expected_high = halves[1]
			}
		}
	}
	next
}
{
	if (pending_word != "") print "            " out " " pending_word
	out = pending_word = expected = ""
	flush_held()
	print
}
END { flush_held() }
