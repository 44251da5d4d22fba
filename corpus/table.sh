#!/bin/sh
# SPDX-License-Identifier: MIT
# Prints the provenance of the recorded traces as a Markdown table. Usage: corpus/table.sh [DIR]
set -eu

dir=${1:-$(dirname "$0")/traces}

# Prints the text that PATTERN captures in provenance.json, where record.sh writes one member per
# line. PATTERN may match a member, or a counter in the recorder's messages, which are the lines of
# `ktail record -v` or, in older traces, a single line.
member() { # FILE PATTERN
	sed -n "s/.*$2.*/\1/p" "$1" | head -1
}

echo '| trace | command | events | lost | doorbells | without a moved GP_PUT | channels | lagging | bare s | recorded s | of it the session s |'
echo '|---|---|---|---|---|---|---|---|---|---|---|'
for file in "$dir"/*/provenance.json; do
	[ -f "$file" ] || continue
	printf '| %s | `%s` | %s | %s | %s | %s | %s | %s | %s | %s | %s |\n' \
		"$(member "$file" '"trace": "\([^"]*\)"')" \
		"$(member "$file" '"command": "\([^"]*\)"')" \
		"$(member "$file" '"events": \([0-9]*\)')" \
		"$(member "$file" '"lost": \([0-9]*\)')" \
		"$(member "$file" '"doorbells": \([0-9]*\)')" \
		"$(member "$file" '[( ]\([0-9][0-9]*\) \(without a moved GP_PUT\| idle doorbells\)')" \
		"$(member "$file" ' \([0-9][0-9]*\)  *channels')" \
		"$(member "$file" '[( ]\([0-9][0-9]*\) \(behind\| lagging channels\)')" \
		"$(member "$file" '"bare": \([0-9.]*\), "bare_runs"')" \
		"$(member "$file" '"recorded": \([0-9.]*\), "recorder_alone"')" \
		"$(member "$file" '"recorder_alone": \([0-9.]*\)')"
done
