#!/bin/bash
# SPDX-License-Identifier: MIT
# The words of a recording of the software GPU have one letter for each doorbell that the recorder
# counted, no unread commands, and the same letters by process and by channel.
#   check-softgpu.sh BIN
bin=$1
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
export LTTNG_HOME=$out/home
mkdir "$LTTNG_HOME"

for workload in vadd graphs streams; do
	[ -x "$bin/corpus/$workload" ] || exit 77
	trace=$out/$workload
	timeout 120 "$bin/ktail" record --softgpu --subbuf-size 262144 --num-subbuf 4 -o "$trace" -- \
		"$bin/corpus/$workload" > /dev/null 2> "$out/said" ||
		{ echo "$workload: record"; cat "$out/said"; exit 1; }
	# The recorder knows ring entries and GP_PUT, so each doorbell follows writes of both.
	"$bin/ktail" words --strict -a roles "$trace" -o "$out/$workload-roles" 2> "$out/noted" ||
		{ echo "$workload: roles"; cat "$out/noted"; exit 1; }
	[ ! -s "$out/noted" ] || { echo "$workload: roles"; cat "$out/noted"; exit 1; }
	for letter in W:commands W:ring W:put W:doorbell R:poll R:semaphore R:timer; do
		grep -qx $letter "$out/$workload-roles"/*.events || { echo "$workload: no $letter"; exit 1; }
	done
	for unit in process channel; do
		"$bin/ktail" words --strict -a submission -w $unit "$trace" -o "$out/$workload-$unit" ||
			{ echo "$workload: words by $unit"; exit 1; }
		cat "$out/$workload-$unit"/*.events | grep -v '^#' | sort > "$out/$unit"
	done
	cmp "$out/process" "$out/channel" || { echo "$workload: not conserved"; exit 1; }
	said=$(sed -n 's/.* \([0-9]*\) doorbells in .*/\1/p' "$out/said")
	submitted=$(grep -c '^submit:' "$out/process")
	[ -n "$said" ] && [ "$said" = "$submitted" ] ||
		{ echo "$workload: $said doorbells, $submitted letters"; exit 1; }
	for letter in submit:launch submit:copy-direct poll; do
		grep -qx $letter "$out/process" || { echo "$workload: no $letter"; exit 1; }
	done
	grep -vx 'poll\|submit:[a-z+-]*' "$out/process" && exit 1
	grep 'unread\|nothing' "$out/process" && exit 1
	# In the word of a channel, a poll follows a submission.
	awk '/^#/ { next } { if ($0 == "poll" && last !~ /^submit/) exit 1; last = $0 }' \
		"$out/$workload-channel"/*.events || { echo "$workload: polls of nothing"; exit 1; }
done
exit 0
