/* SPDX-License-Identifier: MIT */
/*
 * What the recorder offers to libktail-cupti.so, which the CUDA driver loads into the same
 * process: it finds kt_record_api() by its name.
 */
#ifndef KTAIL_COLLECT_API_INJECTION_H
#define KTAIL_COLLECT_API_INJECTION_H

#include <stddef.h>
#include <stdint.h>

#define KT_RECORD_API_SYMBOL "kt_record_api"

/* Path of the libcupti that the user wants. */
#define KT_CUPTI_VARIABLE "KTAIL_RECORD_CUPTI"

/* What became of the subscription. Each is told once for a process. */
enum kt_cupti_state {
	KT_CUPTI_LOADED,  /* the driver has called InitializeInjection() */
	KT_CUPTI_ON,      /* calls are seen from now on */
	KT_CUPTI_MISSING, /* no libcupti was found */
	KT_CUPTI_HELD,    /* another tool has the one subscription that there is */
	KT_CUPTI_REFUSED, /* libcupti said no, or one that was found could not be used */
};

/* One call of the CUDA API, as its observer reports it. */
struct kt_api_call {
	const char *api;  /* Weak: "driver" or "runtime" */
	const char *name; /* Weak: lives as long as the call */
	const char *by;   /* Weak: "wrap" or "cupti" */
	uint64_t correlation;
	uint64_t begin; /* ns, by the recorder's clock; set by kt_api_enter() */
};

struct kt_record_api {
	/* As kt_api_enter() and kt_api_exit(). */
	void (*enter)(struct kt_api_call *call, const uint64_t *arguments, size_t n);
	void (*exit)(const struct kt_api_call *call, int known, int32_t result);
	/* A call that could not be recorded. */
	void (*missed)(void);
	/* code: CUPTI's, of KT_CUPTI_REFUSED. */
	void (*report)(enum kt_cupti_state state, int code);
};

/* NULL: this process's calls are not to be traced by CUPTI. Static. */
const struct kt_record_api *kt_record_api(void);

#endif
