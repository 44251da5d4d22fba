#!/bin/bash
# SPDX-License-Identifier: MIT
# Records a plain session of a script for emit-events. data/submissions and data/lossy were
# made by it from data/script.txt and data/script-lossy.txt.
#   record.sh EMIT PROVIDER FOLDER SCRIPT
here=$(dirname "$(readlink -f "$0")")
EMIT=$1 PROVIDER=$2
. "$here/../words/lttng-session.sh"
session_open "$3" --subbuf-size=8K --num-subbuf=32
emit < "$4" || exit 1
session_close
