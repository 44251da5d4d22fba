#!/bin/sh
# SPDX-License-Identifier: MIT
# Answers three questions from reports of corpus traces, which ktail report makes.
# Usage: real.sh NPM-FOLDER KTAIL CORPUS FOLDER
set -eu

here=$(cd "$(dirname "$0")" && pwd)
npm=$1 ktail=$2 corpus=$3 out=$4
"$here/../../../viz/report/npm-install" "$npm"
mkdir -p "$out"
"$ktail" report "$corpus/calls/graphs-50" -o "$out/graphs.html"
"$ktail" report --old "$corpus/calls/streams-polling" --new "$corpus/calls/streams-blocking" -o "$out/two.html"
exec node "$here/test-real.mjs" "$npm" "$out"
