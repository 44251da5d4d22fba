# SPDX-License-Identifier: MIT
# For tests that source tests/cli.sh and set `bin`: recordings on the software GPU, with API calls.
export LTTNG_HOME=${out:?}/home
mkdir "$LTTNG_HOME"

# record NAME OPTION... -- WORKLOAD ARGUMENT...; what the recorder says is in record.err
record() {
	local name=$1
	shift
	timeout 120 "${bin:?}/ktail" record --softgpu --api=wrap --subbuf-size 262144 --num-subbuf 4 \
		-o "$name" "$@" > record.out 2> record.err || { cat record.out record.err; fail "record $name"; exit 1; }
}
