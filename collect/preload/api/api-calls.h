/* SPDX-License-Identifier: MIT */
/*
 * Reports the beginning and end of calls of CUDA and other APIs. The calls are observed by
 * the wrappers in this library or by CUPTI's callbacks in libktail-cupti.so.
 */
#ifndef KTAIL_COLLECT_API_CALLS_H
#define KTAIL_COLLECT_API_CALLS_H

#include <stddef.h>
#include <stdint.h>

#include "collect/api-injection.h"
#include "decode/api-functions.h"

#define KT_API_KERNEL_NAME 512 /* bytes of a kernel's name that are recorded, with its NUL */

enum kt_api_mode {
	KT_API_NONE,
	KT_API_WRAP,
	KT_API_CUPTI,
};

/* How API calls are traced; set once, at start. */
extern enum kt_api_mode kt_api_mode;

/*
 * Emits api_enter. arguments[0..n) are the call's first integer and pointer arguments. If
 * call->correlation is 0, sets it to the process's next correlation number. Keeps errno.
 * Takes the lock: not signal-safe.
 */
void kt_api_enter(struct kt_api_call *call, const uint64_t *arguments, size_t n);

/*
 * Emits api_exit. `known` says whether `result` is the function's return value. Keeps
 * errno.
 */
void kt_api_exit(const struct kt_api_call *call, int known, int32_t result);

/*
 * Emits api_kernel if the table says that `function` gives the program a handle of a kernel
 * (decode/tables/api.tsv). Call after the function has returned with success, before
 * kt_api_exit(), with the arguments of kt_api_enter(). Reads handle and name from memory
 * that may be unmapped. Keeps errno.
 */
void kt_api_kernel(const struct kt_api_call *call, const struct kt_api_function *function,
		   const uint64_t *arguments, size_t n);

#endif
