/* SPDX-License-Identifier: MIT */
/*
 * The recorder's interface to libktail-cupti.so, which the CUDA driver loads into the same
 * process. The library finds kt_record_api() by its name.
 */
#ifndef KTAIL_COLLECT_API_INJECTION_H
#define KTAIL_COLLECT_API_INJECTION_H

#include <stddef.h>
#include <stdint.h>

#define KT_RECORD_API_SYMBOL "kt_record_api"

/* Path of the libcupti chosen by the user. */
#define KT_CUPTI_VARIABLE "KTAIL_RECORD_CUPTI"

/* State of the subscription; each state is reported at most once per process. */
enum kt_cupti_state {
	KT_CUPTI_LOADED,  /* the driver has called InitializeInjection() */
	KT_CUPTI_ON,      /* calls are reported from now on */
	KT_CUPTI_MISSING, /* no libcupti was found */
	KT_CUPTI_HELD,    /* another tool has CUPTI's only subscription */
	KT_CUPTI_REFUSED, /* libcupti returned an error, or some functions are missing */
};

/* One call of the CUDA API, as its observer reports it. */
struct kt_api_call {
	const char *api;  /* Weak: "driver" or "runtime" */
	const char *name; /* Weak: valid during the call */
	const char *by;   /* Weak: "wrap" or "cupti" */
	uint64_t correlation;
	uint64_t begin; /* ns, by the recorder's clock; set by kt_api_enter() */
};

struct kt_record_api {
	/* Same as kt_api_enter() and kt_api_exit(). */
	void (*enter)(struct kt_api_call *call, const uint64_t *arguments, size_t n);
	void (*exit)(const struct kt_api_call *call, int known, int32_t result);
	/* Counts a call that could not be recorded. */
	void (*missed)(void);
	/* code: CUPTI's error, for KT_CUPTI_REFUSED. */
	void (*report)(enum kt_cupti_state state, int code);
};

/* Returns NULL if CUPTI is not to trace this process's calls. The struct is static. */
const struct kt_record_api *kt_record_api(void);

#endif
