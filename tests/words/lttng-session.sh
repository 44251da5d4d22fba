# SPDX-License-Identifier: MIT
# Sourced by tests that record: starts a session daemon, which ends with the shell.
#
#   session_open FOLDER [ENABLE-CHANNEL-OPTION...]   starts a session that writes to FOLDER
#   session_close                                    ends the session; its trace is complete then
#   emit < SCRIPT                                    emits events into the session
#
# Needs $EMIT (emit-events) and $PROVIDER. If $context is set, events get that context.

command -v lttng-sessiond > /dev/null && command -v lttng > /dev/null || {
	echo "lttng is not installed"
	exit 77
}

scratch=$(mktemp -d)
export HOME=$scratch LTTNG_HOME=$scratch LTTNG_RUNDIR=$scratch/run
export LTTNG_UST_REGISTER_TIMEOUT=-1 LTTNG_UST_ALLOW_BLOCKING=1
daemon=
context=

session_cleanup() {
	if [ -n "$daemon" ]; then
		kill "$daemon" 2> /dev/null
		wait "$daemon" 2> /dev/null
	fi
	rm -rf "$scratch"
}
trap session_cleanup EXIT

# If root already has a session daemon, this new one ends at once and the existing one is used. In
# tests there is none (tests/apart.sh), or the tests that record run one after another.
lttng-sessiond --no-kernel > "$scratch/daemon.log" 2>&1 &
daemon=$!
for _ in $(seq 100); do
	lttng --no-sessiond list > /dev/null 2>&1 && break
	sleep 0.1
done

session_open() {
	session_folder=$1
	shift
	lttng -q create "ktail-test-$$" --output="$session_folder" &&
		lttng -q enable-channel -u channel --blocking-timeout=inf "$@" &&
		lttng -q enable-event -u 'gpu_stack:*' -c channel &&
		{ [ -z "$context" ] || lttng -q add-context -u -t "$context"; } &&
		lttng -q start || { cat "$scratch/daemon.log"; exit 1; }
}

session_close() {
	lttng -q stop && lttng -q destroy || exit 1
}

emit() {
	timeout 60 "$EMIT" "$PROVIDER"
}
