# SPDX-License-Identifier: MIT
# Sourced by tests of live sessions, after lttng-session.sh: starts a relay daemon, whose process is
# $relay. It keeps what it gets in $out/relay. A function `fail` must exist when these are called:
#
#   live NAME      starts a session that is streamed
#   listed NAME    waits until the relay daemon has the session
#   url_of NAME    prints the URL by which it is read
#   soon COMMAND   repeats the command until it succeeds, for up to half a minute

command -v lttng-relayd > /dev/null && command -v babeltrace2 > /dev/null || {
	echo "lttng-relayd or babeltrace2 is not installed"
	exit 77
}
relay=

soon() {
	for _ in $(seq 300); do
		"$@" && return
		sleep 0.1
	done
	return 1
}

# Three adjacent ports without a listener.
port=$((20000 + $$ % 20000))
while ss -Htln 2> /dev/null | grep -qE ":($port|$((port + 1))|$((port + 2))) "; do
	port=$((port + 3))
done
lttng-relayd -o "$out/relay" -C tcp://127.0.0.1:$port -D tcp://127.0.0.1:$((port + 1)) \
	-L tcp://127.0.0.1:$((port + 2)) > "$out/relay.log" 2>&1 &
relay=$!

live() {
	lttng -q create "$1" --live=100000 \
		--set-url="net://127.0.0.1:$port:$((port + 1))" &&
		lttng -q enable-channel -u channel --blocking-timeout=inf &&
		lttng -q enable-event -u 'gpu_stack:*' -c channel &&
		lttng -q start || fail "no live session: $(cat "$scratch/daemon.log")"
}

listed() {
	soon sh -c "babeltrace2 --input-format=lttng-live net://127.0.0.1:$((port + 2)) | grep -q '/$1'" ||
		fail "no session $1 to watch"
}

url_of() {
	echo "net://127.0.0.1:$((port + 2))/host/$(hostname)/$1"
}
