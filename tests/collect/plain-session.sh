# SPDX-License-Identifier: MIT
# Functions to run many programs in one plain LTTng session; to be sourced. They use $scratch and
# LTTNG_HOME.
# plain_session_begin [ENABLE-CHANNEL-OPTION...]; plain_session_end

plain_daemon=''

plain_session_begin() {
	LTTNG_HOME=${LTTNG_HOME:-$scratch/home}
	export LTTNG_HOME
	mkdir -p "$LTTNG_HOME"
	if ! lttng --no-sessiond list >/dev/null 2>&1; then
		lttng-sessiond --no-kernel >/dev/null 2>&1 &
		plain_daemon=$!
		for _ in $(seq 100); do
			lttng --no-sessiond list >/dev/null 2>&1 && break
			sleep 0.1
		done
	fi
	plain_name=plain-$$
	lttng create "$plain_name" -o "$scratch/plain" >/dev/null &&
		lttng enable-channel -s "$plain_name" -u gpu "$@" >/dev/null &&
		lttng enable-event -s "$plain_name" -u -c gpu 'gpu_stack:*' >/dev/null &&
		lttng start "$plain_name" >/dev/null
}

# Does not wait for data, because the data of a process that died in the middle of an event never
# arrive.
plain_session_end() {
	lttng stop --no-wait "$plain_name" >"$scratch/stop.txt" 2>&1
	lttng destroy --no-wait "$plain_name" >/dev/null 2>&1
	[ -z "$plain_daemon" ] || { kill "$plain_daemon" && wait "$plain_daemon"; }
	plain_daemon=''
}
