/* SPDX-License-Identifier: MIT */
/*
 * Locked host memory: allocated by the driver, or the program's own that it registered. The
 * device reaches it at the program's addresses, and all contexts share one address space,
 * so a range is locked for all of them while it belongs to the context that locked it.
 */
#ifndef KTAIL_SOFTGPU_HOST_H
#define KTAIL_SOFTGPU_HOST_H

#include "corpus/softgpu/driver/driver.h"

int kt_host_allocate(struct kt_context *context, void **memory, size_t bytes);
int kt_host_register(struct kt_context *context, void *memory, size_t bytes);
/* INVALID_VALUE: never allocated; HOST_NOT_REGISTERED: never registered. */
int kt_host_free(void *memory);
int kt_host_unregister(void *memory);
/* Whether all of it is locked. O(ranges). */
bool kt_host_holds(const void *memory, size_t bytes);
/* All of a context, which has nothing under way any more. */
void kt_host_clear(struct kt_context *context);

#endif
