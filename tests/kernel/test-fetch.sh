#!/bin/sh
# SPDX-License-Identifier: MIT
# Tests how the bench fetches its kernel, with a stand-in for apt's archive: with and without a
# network, and with newer versions. Usage: test-fetch.sh STEPS
set -eu
steps=$1
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
mkdir "$scratch/bin"
export PATH="$scratch/bin:$PATH" ARCHIVE="$scratch/archive"
failures=0

# $ARCHIVE has the version of the packages; $ARCHIVE.up exists if there is a network, and
# $ARCHIVE.lists if apt has package lists.
cat >"$scratch/bin/apt-get" <<'END'
#!/bin/sh
for word; do
	case $word in
	update) [ -f "$ARCHIVE.up" ] && touch "$ARCHIVE.lists"; exit ;;
	download) [ -f "$ARCHIVE.up" ]; exit ;;
	esac
done
END
cat >"$scratch/bin/apt-cache" <<'END'
#!/bin/sh
[ -f "$ARCHIVE.lists" ] || exit 1
version=$(cat "$ARCHIVE")
case "$* " in
*'depends linux-image-amd64 '*) echo "  Depends: linux-image-$version-amd64" ;;
*' policy '* | 'policy '*) echo "  Candidate: $version" ;;
esac
END
chmod +x "$scratch/bin/apt-get" "$scratch/bin/apt-cache"

# fetch STATUS PATTERN: runs the bench's step, and checks its status and output.
fetch() {
	status=0
	(
		work=$scratch/work
		die() { echo "bench: $*" >&2; exit 2; }
		say() { echo "$*"; }
		. "$steps/fetch.sh"
		unpack() { :; }
		mkdir -p "$work"
		fetch_packages
		echo "has $release"
	) >"$scratch/said" 2>&1 || status=$?
	[ "$status" = "$1" ] && grep -q -e "$2" "$scratch/said" || {
		echo "FAILED: status $status, not $1, or no message '$2'"
		cat "$scratch/said"
		failures=$((failures + 1))
	}
}

echo 1.0 >"$ARCHIVE"
fetch 2 'apt does not know linux-image-amd64, and nothing was fetched before'
touch "$ARCHIVE.lists"
fetch 2 'apt-get download failed, and nothing was fetched before'
touch "$ARCHIVE.up"
fetch 0 'has 1.0-amd64'
rm "$ARCHIVE.up"
fetch 0 'has 1.0-amd64'
echo 2.0 >"$ARCHIVE"
fetch 0 'continue with 1.0-amd64 1.0$'
rm "$ARCHIVE.lists"
fetch 0 'has 1.0-amd64'
touch "$ARCHIVE.up" "$ARCHIVE.lists"
fetch 0 'has 2.0-amd64'
[ ! -e "$scratch/work/1.0-amd64" ] || { echo 'FAILED: the old kernel was not removed'; failures=1; }
# A kernel that was not completely unpacked is not used.
rm "$scratch/work/2.0-amd64/versions" "$ARCHIVE.up"
fetch 2 'nothing was fetched before'

exit $((failures > 0))
