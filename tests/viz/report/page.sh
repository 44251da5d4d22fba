#!/bin/sh
# SPDX-License-Identifier: MIT
# Usage: page.sh NPM-FOLDER FOLDER-FOR-SCREENSHOTS [TEST]   (test-page.mjs)
set -eu

here=$(cd "$(dirname "$0")" && pwd)
page=$here/../../../viz/report
"$page/npm-install" "$1"
exec node "$here/test-page.mjs" "$1" "$page/report.html" "$2" ${3:+"$3"}
