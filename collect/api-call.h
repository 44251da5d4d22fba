/* SPDX-License-Identifier: MIT */
#ifndef KTAIL_COLLECT_API_CALL_H
#define KTAIL_COLLECT_API_CALL_H

#include <stdint.h>

/* One call of the CUDA API, as whoever sees it says it. */
struct kt_api_call {
	const char *api;  /* Weak: "driver" or "runtime" */
	const char *name; /* Weak: lives as long as the call */
	const char *by;   /* Weak: "wrap" or "cupti" */
	uint64_t correlation;
	uint64_t begin; /* ns, by the recorder's clock; set by kt_api_enter() */
};

#endif
