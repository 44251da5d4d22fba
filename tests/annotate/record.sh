#!/bin/bash
# SPDX-License-Identifier: MIT
# Records a plain session of a script for emit-events: data/submissions was made by it from
# data/script.txt, data/lossy, data/gaps, data/odd, data/ioctls, data/figures, data/found from
# data/script-lossy.txt and so on.
#   record.sh EMIT PROVIDER FOLDER SCRIPT
here=$(dirname "$(readlink -f "$0")")
EMIT=$1 PROVIDER=$2
. "$here/../words/lttng-session.sh"
session_open "$3" --subbuf-size=8K --num-subbuf=32
emit < "$4" || exit 1
session_close
