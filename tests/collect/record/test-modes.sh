#!/bin/sh
# SPDX-License-Identifier: MIT
# A trace is private to its user, whatever the umask is and whatever LTTng does; run by
# root, the test also covers folders and links that another user has planted. Usage:
# test-modes.sh BIN
set -u

bin=$1
scratch=$(mktemp -d)
failures=0
LTTNG_HOME=$scratch/home
export LTTNG_HOME
mkdir -p "$LTTNG_HOME"
trap 'rm -rf "$scratch"' EXIT
chmod 711 "$scratch"
cd "$scratch" || exit 1

fail() {
	echo "FAILED: $*"
	failures=$((failures + 1))
}

record() { # FOLDER COMMAND...
	folder=$1
	shift
	"$bin/ktail-record" --subbuf-size 65536 --num-subbuf 4 -o "$folder" -- "$@" 2>stderr
	status=$?
	[ "$status" = 0 ] || fail "ktail record -o $folder: status $status: $(cat stderr)"
}

# closed FOLDER: checks that it has files, and that all its folders have mode 700 and all its files
# mode 600
closed() {
	[ "$(find "$1" -mindepth 1 -type f | wc -l)" -gt 2 ] || fail "$1: no trace"
	open=$(find "$1" -mindepth 1 \( -type d ! -perm 700 \) -o \( -type f ! -perm 600 \))
	[ -z "$open" ] || fail "$1: $(find "$1" -printf '%m %p\n')"
}

for mask in 000 022 077; do
	umask $mask
	record "made-$mask" stat -c %a "made-$mask" >during
	[ "$(cat during)" = 700 ] || fail "umask $mask: $(cat during) during the recording"
	[ "$(stat -c %a "made-$mask")" = 700 ] || fail "umask $mask: $(stat -c %a "made-$mask")"
	closed "made-$mask"
done
umask 022

# An existing folder keeps its mode, and so do files that are not part of the trace.
mkdir own
chmod 750 own
ln -s own link
echo mine >mine
chmod 666 mine
record link sh -c 'ln ../mine own/hard 2>/dev/null || ln mine own/hard; ln -s ../mine own/soft'
rm -f own/hard own/soft
[ "$(stat -c %a own)" = 750 ] || fail "own: $(stat -c %a own)"
[ "$(stat -c %a mine)" = 666 ] || fail "mine: $(stat -c %a mine)"
closed own

if [ "$(id -u)" = 0 ]; then
	mkdir sticky private
	chmod 1777 sticky
	chmod 700 private
	setpriv --reuid=65534 --regid=65534 --clear-groups ln -s ../private sticky/link
	setpriv --reuid=65534 --regid=65534 --clear-groups mkdir sticky/folder
	for way in link link/ folder; do
		"$bin/ktail-record" -o "sticky/$way" -- true 2>stderr
		status=$?
		[ $status = 125 ] && grep -q "^ktail: create trace folder sticky/$way: it .* another user (uid 65534)" stderr ||
			fail "sticky/$way: status $status: $(cat stderr)"
	done
	[ -z "$(ls -A private)" ] || fail "private: $(ls -A private)"
fi

# The marker file of the software GPU.
"$bin/ktail-record" --softgpu -o soft -- true 2>/dev/null
[ -f soft/softgpu.json ] && closed soft

[ $failures = 0 ]
