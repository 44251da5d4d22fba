#!/bin/bash
# SPDX-License-Identifier: MIT
# Records a session of several processes: data/script.txt, and data/script-bulk.txt once on each of
# two CPUs. The trace data/scripted was made by this script.
#   record.sh EMIT PROVIDER FOLDER
here=$(dirname "$(readlink -f "$0")")
EMIT=$1 PROVIDER=$2
. "$here/lttng-session.sh"
session_open "$3" --subbuf-size=8K --num-subbuf=32
emit < "$here/data/script.txt" || exit 1
for cpu in 0 1; do
	pinned="taskset -c $cpu"
	$pinned true 2> /dev/null || pinned=
	$pinned timeout 60 "$EMIT" "$PROVIDER" < "$here/data/script-bulk.txt" || exit 1
done
session_close
