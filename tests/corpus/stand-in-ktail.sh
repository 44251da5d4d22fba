#!/bin/sh
# SPDX-License-Identifier: MIT
# Replaces `ktail record [options] -o DIR -- COMMAND...` in the test of record.sh: runs the command,
# creates a folder that looks like a trace, and prints messages as the recorder does. The variable
# STAND_IN selects a fault.
[ "$1" = record ] || exit 125
shift
trace=''
while [ "$1" != -- ]; do
	case $1 in
	-o) trace=$2 ;;
	--subbuf-size | --num-subbuf) ;;
	-v)
		shift
		continue
		;;
	*) exit 125 ;;
	esac
	shift 2
done
shift
lost=0
idle=0
lagging=0
case ${STAND_IN:-} in
lossy) lost=7 ;;
idle) idle=3 ;;
lagging) lagging=2 ;;
alter) [ "$1" = true ] || echo extra ;;
fail) exit 125 ;;
esac
"$@"
status=$?
mkdir -p "$trace/ust/uid/0/64-bit"
echo metadata >"$trace/ust/uid/0/64-bit/metadata"
head -c 4096 /dev/zero >"$trace/ust/uid/0/64-bit/channel0_0"
if [ "${STAND_IN:-}" = loud ]; then
	echo 'a "message" with \ and	tab' >&2
fi
if [ "${STAND_IN:-}" != silent ]; then
	echo "ktail: recorded 4123 events, $lost lost, 215 doorbells in $trace" >&2
	printf '%12d  %-24s  %s\n' "$idle" 'idle doorbells' "no channel's GP_PUT had moved" \
		20 channels 'their GP_PUT could be read' \
		"$lagging" 'lagging channels' 'GP_PUT moved after their last doorbell' >&2
fi
if [ "${STAND_IN:-}" = status ] && [ "$1" != true ]; then
	exit 3
fi
exit "$status"
