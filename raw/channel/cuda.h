/* SPDX-License-Identifier: MIT */
/*
 * The functions of libcuda that the library calls. Names and numbers are facts of the
 * interface that libcuda.so.1 exports.
 */
#ifndef KTAIL_RAW_CUDA_H
#define KTAIL_RAW_CUDA_H

#include <stddef.h>
#include <stdint.h>

/* clang-format off */
#define KT_RAW_CUDA(X) \
	X(cuInit, "cuInit", (unsigned flags)) \
	X(cuGetErrorName, "cuGetErrorName", (int code, const char **name)) \
	X(cuDeviceGet, "cuDeviceGet", (int *device, int ordinal)) \
	X(cuDevicePrimaryCtxRetain, "cuDevicePrimaryCtxRetain", (void **context, int device)) \
	X(cuDevicePrimaryCtxRelease, "cuDevicePrimaryCtxRelease_v2", (int device)) \
	X(cuCtxSetCurrent, "cuCtxSetCurrent", (void *context)) \
	X(cuCtxSynchronize, "cuCtxSynchronize", (void)) \
	X(cuMemAlloc, "cuMemAlloc_v2", (uint64_t *address, size_t bytes)) \
	X(cuMemFree, "cuMemFree_v2", (uint64_t address)) \
	X(cuMemAllocHost, "cuMemAllocHost_v2", (void **memory, size_t bytes)) \
	X(cuMemFreeHost, "cuMemFreeHost", (void *memory)) \
	X(cuMemcpyHtoD, "cuMemcpyHtoD_v2", (uint64_t to, const void *from, size_t bytes)) \
	X(cuMemcpyDtoH, "cuMemcpyDtoH_v2", (void *to, uint64_t from, size_t bytes))
/* clang-format on */

struct kt_raw_cuda {
	void *library; /* Owned by this */
#define KT_RAW_CUDA_MEMBER(field, symbol, parameters) int(*field) parameters;
	KT_RAW_CUDA(KT_RAW_CUDA_MEMBER)
#undef KT_RAW_CUDA_MEMBER
};

/* Loads the library and its functions. KT_E_IO with a message. */
int kt_raw_cuda_load(struct kt_raw_cuda *out, const char *library);

/* Returns 0, or KT_E_IO with a message that names `what` and the error. */
int kt_raw_cuda_check(const struct kt_raw_cuda *cuda, int result, const char *what);

#endif
