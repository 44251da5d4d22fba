# SPDX-License-Identifier: MIT
# Checks babeltrace2's output for a recording of the stress program: each channel's entries are
# consecutive in its ring, each with the commands written by kt_bare_submit(): acquire the
# number of earlier entries, then increment it. Prints the number of entries. Variable: entries,
# per ring.

function field(name,   text) {
	text = $0
	sub(".*[ {]" name " = ", "", text)
	sub(/[,} ].*/, "", text)
	return text
}

# Returns the first element of a sequence.
function first(name,   text) {
	text = $0
	sub(".*[ {]" name " = \\[ \\[0\\] = ", "", text)
	sub(/[, ].*/, "", text)
	return text
}

function word(n,   text) {
	text = $0
	sub(".*\\[" n "\\] = 0x", "", text)
	sub(/[, ].*/, "", text)
	return text
}

function wrong(why) {
	print why ": " $0
	bad = 1
	exit 1
}

/gpu_stack:gpfifo_entry:/ {
	channel = field("channel")
	if (open) {
		wrong("no words before")
	}
	if (field("index") != count[channel] % entries) {
		wrong("out of order, after " count[channel])
	}
	open = 1
}

/gpu_stack:submission:/ {
	channel = field("channel")
	if (open) {
		wrong("no words before")
	}
	if (field("_indexes_length") != 1 ||
	    first("indexes") != count[channel] % entries || first("lengths") != 12) {
		wrong("out of order, after " count[channel])
	}
	open = 1
}

/gpu_stack:(pushbuffer|submission):/ {
	if (!open || field("channel") != channel) {
		wrong("words of no entry")
	}
	if (field("_words_length") != 12 || word(3) != sprintf("%X", count[channel]) ||
	    word(9) != sprintf("%X", count[channel] + 1)) {
		wrong("other words, after " count[channel])
	}
	count[channel]++
	n++
	open = 0
}

END {
	if (!bad) {
		print n + 0
	}
}
