#!/bin/bash
# SPDX-License-Identifier: MIT
# Records a script for emit-events in a plain session. It made data/submissions from
# data/script.txt, and data/lossy, data/gaps, data/odd, data/ioctls, data/figures,
# data/found from data/script-lossy.txt and so on.
#   record.sh EMIT PROVIDER FOLDER SCRIPT
here=$(dirname "$(readlink -f "$0")")
EMIT=$1 PROVIDER=$2
. "$here/../words/lttng-session.sh"
session_open "$3" --subbuf-size=8K --num-subbuf=32
emit < "$4" || exit 1
session_close
