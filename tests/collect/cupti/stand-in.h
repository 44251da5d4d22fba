/* SPDX-License-Identifier: MIT */
/*
 * Stand-ins for libcuda and libcupti, limited to what an injected library uses: libcuda
 * loads it and calls its subscribers before and after each function.
 */
#ifndef KTAIL_TESTS_CUPTI_STAND_IN_H
#define KTAIL_TESTS_CUPTI_STAND_IN_H

#include <stddef.h>
#include <stdint.h>

#include "collect/cupti/cupti.h"

/* Exported by the stand-in for libcuda; the one for libcupti fills it in. */
struct stand_in_subscriber {
	kt_cupti_callback callback;
	void *context;
	uint32_t domains; /* bit N is set: domain N is enabled */
};
extern struct stand_in_subscriber stand_in_subscriber;

int cuInit(unsigned flags);
int cuMemAlloc_v2(uint64_t *address, size_t size);
int cuMemFree_v2(uint64_t address);
int cuMemcpyHtoD_v2(uint64_t to, const void *from, size_t size);
int cuCtxSynchronize(void);
/* Plays a function of the runtime, which calls cuMemcpyHtoD_v2. */
int cudaMemcpy(void *to, const void *from, size_t size, int kind);
/* This call is left by longjmp, without an exit callback. */
int cuLaunchHostFunc(void *stream, void (*function)(void *), void *data);
/* Calls itself that many times; then calls a function that no table contains. */
int cuRecurse(int times);

#endif
