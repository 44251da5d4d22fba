#!/bin/bash
# SPDX-License-Identifier: MIT
# Records a script for emit-events in a plain session. data/submissions was made from
# data/script.txt, given-up from data/script-given-up.txt, and each other trace
# data/NAME from data/script-NAME.txt.
#   record.sh EMIT PROVIDER FOLDER SCRIPT
here=$(dirname "$(readlink -f "$0")")
EMIT=$1 PROVIDER=$2
. "$here/../words/lttng-session.sh"
session_open "$3" --subbuf-size=8K --num-subbuf=32
emit < "$4" || exit 1
session_close
