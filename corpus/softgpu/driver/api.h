/* SPDX-License-Identifier: MIT */
/*
 * The exported functions. Each is declared under the name in the API's manual, with the
 * exported symbol as its assembler name. All declarations come from two tables, in
 * corpus/workloads/cuda-driver.h and below; a definition with parameters other than those
 * in the table does not compile.
 */
#ifndef KTAIL_SOFTGPU_API_H
#define KTAIL_SOFTGPU_API_H

#include "corpus/softgpu/driver/driver.h"

struct kt_cu_uuid {
	char bytes[16];
};

/* Version that cuDriverGetVersion reports, and the newest that cuGetProcAddress accepts. */
enum { KT_CUDA_VERSION = 13000 };

/*
 * Functions that programs other than the workloads use. If a function has several versions,
 * one of them has the name in the manual, and the others have this name with a suffix such
 * as _v3; entry-points.c states from which CUDA version on each of them is used.
 */
/* clang-format off */
#define KT_CUDA_MORE_FUNCTIONS(X) \
	X(cuGetErrorString, "cuGetErrorString", (kt_cu_result code, const char **text)) \
	X(cuGetProcAddress, "cuGetProcAddress_v2", \
	  (const char *symbol, void **function, int version, uint64_t flags, int *status)) \
	X(cuDeviceTotalMem, "cuDeviceTotalMem_v2", (size_t *bytes, kt_cu_device device)) \
	X(cuDeviceGetUuid, "cuDeviceGetUuid", \
	  (struct kt_cu_uuid *uuid, kt_cu_device device)) \
	X(cuCtxGetCurrent, "cuCtxGetCurrent", (kt_cu_context *context)) \
	X(cuCtxPushCurrent, "cuCtxPushCurrent_v2", (kt_cu_context context)) \
	X(cuCtxPopCurrent, "cuCtxPopCurrent_v2", (kt_cu_context *context)) \
	X(cuCtxGetDevice, "cuCtxGetDevice", (kt_cu_device *device)) \
	X(cuMemGetInfo, "cuMemGetInfo_v2", (size_t *left, size_t *total)) \
	X(cuMemcpyDtoD, "cuMemcpyDtoD_v2", \
	  (kt_cu_address to, kt_cu_address from, size_t bytes)) \
	X(cuMemcpyDtoDAsync, "cuMemcpyDtoDAsync_v2", \
	  (kt_cu_address to, kt_cu_address from, size_t bytes, kt_cu_stream stream)) \
	X(cuMemsetD8, "cuMemsetD8_v2", (kt_cu_address to, unsigned char value, size_t n)) \
	X(cuMemsetD32, "cuMemsetD32_v2", (kt_cu_address to, unsigned value, size_t n)) \
	X(cuStreamQuery, "cuStreamQuery", (kt_cu_stream stream)) \
	X(cuEventQuery, "cuEventQuery", (kt_cu_event event)) \
	X(cuGetProcAddress_v1, "cuGetProcAddress", \
	  (const char *symbol, void **function, int version, uint64_t flags)) \
	X(cuDeviceGetUuid_v2, "cuDeviceGetUuid_v2", \
	  (struct kt_cu_uuid *uuid, kt_cu_device device)) \
	X(cuCtxCreate_v3, "cuCtxCreate_v3", \
	  (kt_cu_context *context, const void *affinities, int n, unsigned flags, \
	   kt_cu_device device)) \
	X(cuCtxCreate_v4, "cuCtxCreate_v4", \
	  (kt_cu_context *context, const void *parameters, unsigned flags, \
	   kt_cu_device device)) \
	X(cuCtxGetDevice_v2, "cuCtxGetDevice_v2", \
	  (kt_cu_device *device, kt_cu_context context)) \
	X(cuCtxSynchronize_v2, "cuCtxSynchronize_v2", (kt_cu_context context)) \
	X(cuEventElapsedTime_v2, "cuEventElapsedTime_v2", \
	  (float *milliseconds, kt_cu_event start, kt_cu_event end))
/* clang-format on */

/* First line of each exported function, for the labels (labels.h): KT_API(cuMemAlloc). */
#define KT_API(field) KT_LABEL_CALL(kt_symbol_##field)

#define KT_API_DECLARE(field, symbol, parameters)                                          \
	__attribute__((visibility("default")))                                             \
	kt_cu_result field parameters __asm__(symbol);                                     \
	__attribute__((unused)) static const char kt_symbol_##field[] = symbol;
KT_CUDA_FUNCTIONS(KT_API_DECLARE)
KT_CUDA_MORE_FUNCTIONS(KT_API_DECLARE)
#undef KT_API_DECLARE

/*
 * Checks at the start of a call. They return KT_CU_NOT_INITIALIZED unless this process has
 * opened the driver. kt_enter also sets *context to the thread's current context, which
 * must still exist and have no sticky error.
 */
int kt_enter_driver(void);
int kt_enter(struct kt_context **context);
/* Like kt_enter, for the object's context. Returns KT_CU_INVALID_HANDLE for NULL. */
struct kt_object;
int kt_enter_object(const struct kt_object *found);

#endif
