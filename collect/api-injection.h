/* SPDX-License-Identifier: MIT */
/*
 * The recorder's interface for libktail-cupti.so, which the CUDA driver loads into the
 * recorded process. libktail-cupti.so finds kt_record_api() with dlsym().
 */
#ifndef KTAIL_COLLECT_API_INJECTION_H
#define KTAIL_COLLECT_API_INJECTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct kt_api_function;

#define KT_RECORD_API_SYMBOL "kt_record_api"

/* Names the variable that holds the path of the libcupti chosen by the user. */
#define KT_CUPTI_VARIABLE "KTAIL_RECORD_CUPTI"

/* State of the subscription to CUPTI. Each state is reported at most once per process. */
enum kt_cupti_state {
	KT_CUPTI_LOADED,  /* the driver has called InitializeInjection() */
	KT_CUPTI_ON,      /* calls are reported from now on */
	KT_CUPTI_MISSING, /* no libcupti was found */
	KT_CUPTI_HELD,    /* another tool has the only subscription that CUPTI allows */
	KT_CUPTI_REFUSED, /* libcupti returned an error, or some functions are missing */
};

/* One call of an API, as a wrapper or CUPTI reports it. */
struct kt_api_call {
	const char *api;  /* Weak: "driver", "runtime", "vulkan", ... (api-libraries.h) */
	const char *name; /* Weak: valid during the call */
	const char *by;   /* Weak: "wrap" or "cupti" */
	uint64_t correlation;
	uint64_t begin; /* ns, by the recorder's clock; set by kt_api_enter() */
};

struct kt_record_api {
	/*
	 * `enter` is kt_api_enter() (api-calls.h) and also counts the call; `exit` is
	 * kt_api_exit().
	 */
	void (*enter)(struct kt_api_call *call, const uint64_t *arguments, size_t n);
	void (*exit)(const struct kt_api_call *call, int known, int32_t result);
	/* kt_api_kernel(), before `exit`. */
	void (*kernel)(const struct kt_api_call *call,
		       const struct kt_api_function *function, const uint64_t *arguments,
		       size_t n);
	/*
	 * Returns whether calls of this function are traced (api-choice.h). `counted`
	 * counts a call that is not.
	 */
	bool (*is_chosen)(const char *name, const struct kt_api_function *function);
	void (*counted)(void);
	/* Counts a call that could not be recorded. */
	void (*missed)(void);
	/* Reports a state. `code`, CUPTI's error code, is used only by KT_CUPTI_REFUSED. */
	void (*report)(enum kt_cupti_state state, int code);
};

/*
 * Returns the interface, a static struct, or NULL if the calls of this process are not to
 * be reported by CUPTI.
 */
const struct kt_record_api *kt_record_api(void);

#endif
