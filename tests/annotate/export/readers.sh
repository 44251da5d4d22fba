#!/bin/sh
# SPDX-License-Identifier: MIT
# Reads exports of the corpus with programs that are not ktail's (readers.mjs, viewer.mjs).
# Usage: readers.sh KTAIL NPM-FOLDER CORPUS FOLDER-FOR-SCREENSHOTS
set -eu

here=$(cd "$(dirname "$0")" && pwd)
"$here/../../../viz/report/npm-install" "$2"
node "$here/readers.mjs" "$1" "$2" "$3/calls/graphs-50" "$3/traces/vadd-4k" \
	"$3/interfaces/opencl.tar.zst" "$3/applications/torch-train.tar.zst" \
	"$3/calls/graphs-1,$3/calls/graphs-1,$3/calls/copies-pinned"
exec node "$here/viewer.mjs" "$1" "$2" "$3/calls/graphs-50" "$4"
