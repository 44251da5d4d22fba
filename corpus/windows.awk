# SPDX-License-Identifier: MIT
# Counts the submissions between the marks of corpus/workloads/measure.h. Reads the output of
# `ktail decode -f json TRACE` and writes a line for each mark, with fields separated by tabs:
#
#   window WHAT NUMBER DOORBELLS ENTRIES METHODS BYTES LAUNCHES RELEASES ACQUIRES INLINE
#          INLINE_BYTES DIRECT DIRECT_BYTES WAITS UNREAD
#
# A window consists of the submissions after mark WHAT NUMBER, up to the next mark. A submission
# that contains a mark belongs to no window. BYTES: size of the segments that the ring entries
# point to, method headers included; INLINE, DIRECT: copies by inline data and by the copy engine;
# LAUNCHES: QMDs that are sent, also those without a program (`empty-grid`); WAITS: commands that wait for idle or invalidate caches; UNREAD: bytes of segments that could
# not be read.
#
# The last line covers the whole trace:
#
#   trace WHOLE LOST CUT IDLE MARKS
#
# WHOLE: true or false, as in decode's output; LOST: events missing by sequence number, plus
# events and packets discarded by the tracer; CUT: processes whose beginning or end is missing;
# IDLE: doorbells at which no GP_PUT had moved; MARKS: marks found. This line is absent if the
# input is truncated.
# Runs in any POSIX awk.
BEGIN {
	OFS = "\t"
	mark[0] = 1802792289 # KT_MARK_0
	mark[1] = 1919623457 # KT_MARK_1
	split("doorbells entries methods bytes launch semaphore-release semaphore-acquire " \
	      "copy-inline inline_bytes copy-direct direct_bytes waits unread", counts, " ")
	n_counts = 13
}

# Returns the number after "KEY": in the line, or 0 if there is none.
function number(key) {
	if (!match($0, "\"" key "\":[0-9]+"))
		return 0
	return substr($0, RSTART + length(key) + 3, RLENGTH - length(key) - 3) + 0
}

function text(key) {
	if (!match($0, "\"" key "\":\"[^\"]*\""))
		return ""
	return substr($0, RSTART + length(key) + 4, RLENGTH - length(key) - 5)
}

function end_window(i, line) {
	line = "window" OFS what OFS number_of
	for (i = 1; i <= n_counts; i++) {
		line = line OFS sprintf("%.0f", window[counts[i]])
		window[counts[i]] = 0
	}
	if (marks)
		print line
}

# Adds the submission that ends here to the window. If it contains a mark, it ends the window
# instead.
function end_submission(i) {
	if (marked) {
		end_window()
		what = marked_what
		number_of = marked_number
		marks++
	}
	for (i = 1; i <= n_counts; i++) {
		if (!marked)
			window[counts[i]] += here[counts[i]]
		here[counts[i]] = 0
	}
	marked = 0
	matched = 0
}

/^."type":"method"/ {
	here["methods"]++
	if (index($0, "\"name\":\"LOAD_INLINE_DATA\""))
		look_for_mark(number("value"))
	if (i = index($0, "\"command\":{"))
		command(substr($0, i))
	next
}

# Matches the four consecutive dwords of a mark.
function look_for_mark(value) {
	if (matched < 2) {
		matched = value == mark[matched] ? matched + 1 : value == mark[0]
	} else if (matched == 2) {
		marked_what = value
		matched = 3
	} else if (matched == 3) {
		marked_number = value
		marked = 1
		matched = 4
	}
}

function command(line, kind) {
	$0 = line
	kind = text("kind")
	if (kind == "empty-grid")
		kind = "launch"
	if (kind == "wait-for-idle" || kind == "invalidate")
		kind = "waits"
	here[kind]++
	if (kind == "copy-inline")
		here["inline_bytes"] += number("bytes")
	else if (kind == "copy-direct")
		here["direct_bytes"] += number("bytes")
	# A copy that ends with a semaphore release is one command and counts as both.
	if (kind ~ /^copy-/ && index(line, "\"semaphore\":"))
		here["semaphore-release"]++
}

/^."type":"submission"/ {
	end_submission()
	if (index($0, "\"doorbell_written\":true") && seq != number("seq")) {
		seq = number("seq")
		here["doorbells"]++
	}
	next
}

/^."type":"entry"/ {
	here["entries"]++
	here["bytes"] += 4 * number("words")
	here["unread"] += 4 * (number("words") - number("captured") + number("after_gap"))
	next
}

/^."type":"end"/ {
	end_submission()
	end_window()
	print "trace", index($0, "\"whole\":true") ? "true" : "false",
		number("lost_events") + number("discarded_events") + number("discarded_packets"),
		number("cut_processes"), number("idle"), marks + 0
}
