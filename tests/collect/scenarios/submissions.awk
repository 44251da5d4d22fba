# SPDX-License-Identifier: MIT
# Converts babeltrace2's text to a line for each entry that a doorbell submitted, with the
# copied part of its segment: "entry INDEX WORDS STATE COPIED SUM", and one for each
# doorbell. Gaps in the numbers of events, entries without a doorbell, and commands without
# an entry or out of order give a line that begins with "wrong".

function field(name,   text) {
	text = $0
	if (!sub(".*[ {]" name " = ", "", text)) {
		return ""
	}
	sub(/[,}].*/, "", text)
	gsub(/[" ]/, "", text)
	return text
}

function value_of(text,   i, value) {
	for (i = 1; i <= length(text); i++) {
		value = 16 * value + index("0123456789ABCDEF", substr(text, i, 1)) - 1
	}
	return value
}

function end_entry() {
	if (entry != "") {
		printf "%s %d %.0f\n", entry, copied, sum
	}
	entry = ""
}

function add_words(   n, i, part) {
	if (entry == "" || field("index") != place || field("offset") != copied) {
		print "wrong: " $0
	}
	copied += field("_words_length")
	n = split($0, part, /\[[0-9]+\] = 0x/)
	for (i = 2; i <= n; i++) {
		sub(/[^0-9A-F].*/, "", part[i])
		sum = (sum + value_of(part[i])) % 4294967296
	}
}

# Splits the elements of a sequence into list[1..]; returns their number.
function elements(name, list,   text) {
	text = $0
	if (!sub(".*[ {]" name " = \\[ ", "", text)) {
		return 0
	}
	sub(/ \].*/, "", text)
	gsub(/\[[0-9]+\] = (0x)?/, "", text)
	return split(text, list, /, /)
}

# Writes the lines of a doorbell whose entries are in the same event.
function whole(   n, i, j, place, length_of, word, first) {
	print "doorbell"
	n = elements("indexes", place)
	elements("lengths", length_of)
	elements("words", word)
	first = 1
	for (i = 1; i <= n; i++) {
		sum = 0
		for (j = first; j < first + length_of[i]; j++) {
			sum = (sum + value_of(word[j])) % 4294967296
		}
		printf "entry %s %s submitted %d %.0f\n", place[i], length_of[i], length_of[i], sum
		first += length_of[i]
		expected += 1 + (length_of[i] > 0)
	}
}

/gpu_stack:/ {
	number = field("seq")
	if (number != expected + 0 && !/:process_begin:/) {
		print "wrong: event " expected " is missing: " $0
	}
	expected = number + 1
}

/gpu_stack:pushbuffer:/ {
	add_words()
	next
}

{ end_entry() }

/gpu_stack:submission:/ {
	whole()
	rung = 1
	next
}

/gpu_stack:doorbell:/ {
	print "doorbell"
	rung = 1
	next
}

/gpu_stack:gpfifo_entry:/ {
	if (!rung) {
		print "wrong: " $0
	}
	place = field("index")
	entry = "entry " place " " field("words") " " field("state")
	copied = sum = 0
	next
}

{ rung = 0 }

END { end_entry() }
