#!/bin/sh
# SPDX-License-Identifier: MIT
# Checks that no program links both igraph (GPL) and Graphviz (EPL), and libktail links neither.
# Usage: check-links.sh KTAIL RENDER LIBKTAIL PROGRAM...
set -u
ktail=$1
render=$2
library=$3
failures=0

fail() {
	echo "FAILED: $*"
	failures=$((failures + 1))
}

# links FILE: prints libigraph. if FILE links igraph, and libcgraph. if FILE links Graphviz
links() {
	ldd "$1" | grep -oE 'lib(igraph|cgraph|gvc)\.' | sed 's/gvc/cgraph/' | sort -u | tr -d '\n'
}

[ "$(links "$ktail")" = libigraph. ] || fail "$ktail links '$(links "$ktail")'"
[ "$(links "$render")" = libcgraph. ] || fail "$render links '$(links "$render")'"
[ -z "$(links "$library")" ] || fail "$library links '$(links "$library")'"
for program; do
	case $(links "$program") in
	*igraph*cgraph* | *cgraph*igraph*) fail "$program links both" ;;
	esac
done

[ "$failures" -eq 0 ]
