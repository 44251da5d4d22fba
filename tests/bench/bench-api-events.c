/* SPDX-License-Identifier: MIT */
#define LTTNG_UST_TRACEPOINT_PROBE_DYNAMIC_LINKAGE
#define LTTNG_UST_TRACEPOINT_DEFINE
#include "lttng-providers/ust/gpu-stack-tp.h"

#include "tests/bench/bench-api-events.h"

void bench_two_events(void)
{
	static const uint64_t arguments[6] = {1, 2, 3, 4, 5, 6};
	static const struct kt_event_head head = {.pid = 1, .tid = 1};
	static const struct kt_event_api_enter enter = {
		.api = "driver",
		.name = "cuTest12",
		.by = "wrap",
		.correlation = 1,
		.count = 6,
		.arguments = arguments,
	};
	static const struct kt_event_api_exit leave = {
		.api = "driver",
		.name = "cuTest12",
		.by = "wrap",
		.correlation = 1,
		.known = 1,
		.duration = 1,
	};

	lttng_ust_tracepoint(gpu_stack, api_enter, &head, &enter);
	lttng_ust_tracepoint(gpu_stack, api_exit, &head, &leave);
}
