/* SPDX-License-Identifier: MIT */
/*
 * Stand-ins for libcuda and libcupti, limited to the functions that an injected library
 * uses. The one for libcuda loads that library and calls its subscriber before and after
 * each function.
 */
#ifndef KTAIL_TESTS_CUPTI_STAND_IN_H
#define KTAIL_TESTS_CUPTI_STAND_IN_H

#include <stddef.h>
#include <stdint.h>

#include "collect/cupti/cupti.h"

/* The stand-in for libcuda exports this variable, and the one for libcupti fills it in. */
struct stand_in_subscriber {
	kt_cupti_callback callback;
	void *context;
	uint32_t domains; /* bit N: domain N is enabled */
};
extern struct stand_in_subscriber stand_in_subscriber;

int cuInit(unsigned flags);
int cuMemAlloc_v2(uint64_t *address, size_t size);
int cuMemFree_v2(uint64_t address);
int cuMemcpyHtoD_v2(uint64_t to, const void *from, size_t size);
int cuCtxGetDevice(int *device);
int cuCtxSynchronize(void);
/* Stands for a function of the runtime, which calls cuMemcpyHtoD_v2. */
int cudaMemcpy(void *to, const void *from, size_t size, int kind);
/* `function` leaves this call by longjmp, so it has no exit callback. */
int cuLaunchHostFunc(void *stream, void (*function)(void *), void *data);
/* Makes `times` nested calls of itself. */
int cuRecurse(int times);

#endif
