/* SPDX-License-Identifier: MIT */
/*
 * Lookup of functions by name. One name in the API's manual can stand for several
 * functions: when CUDA changed a signature, it added a symbol. The caller therefore passes
 * the CUDA version that it was written for. Versions are taken from the types in the
 * toolkit's cudaTypedefs.h (PFN_cuMemAlloc_v3020: cuMemAlloc since CUDA 3.2); the results
 * of cuGetProcAddress follow the function's manual.
 */
#include <string.h>

#include "corpus/softgpu/driver/api.h"

/* enum CUdriverProcAddressQueryResult */
enum { FOUND = 0, NAME_UNKNOWN = 1, VERSION_TOO_OLD = 2 };

/* enum CUdriverProcAddress_flags: legacy stream, per-thread default stream. */
enum { FLAGS = 3 };

typedef void (*any_function)(void);

/* Rows with the same name are sorted by version. */
static const struct {
	const char *name;
	int since; /* 1000 * major + 10 * minor */
	any_function function;
} entry_points[] = {
/* clang-format off */
#define ROW(name, since, function) {name, since, (any_function)function}
	ROW("cuInit", 2000, cuInit),
	ROW("cuDriverGetVersion", 2020, cuDriverGetVersion),
	ROW("cuGetErrorName", 6000, cuGetErrorName),
	ROW("cuDeviceGetCount", 2000, cuDeviceGetCount),
	ROW("cuDeviceGet", 2000, cuDeviceGet),
	ROW("cuDeviceGetName", 2000, cuDeviceGetName),
	ROW("cuDeviceGetAttribute", 2000, cuDeviceGetAttribute),
	ROW("cuDevicePrimaryCtxRetain", 7000, cuDevicePrimaryCtxRetain),
	ROW("cuDevicePrimaryCtxRelease", 11000, cuDevicePrimaryCtxRelease),
	ROW("cuDevicePrimaryCtxSetFlags", 11000, cuDevicePrimaryCtxSetFlags),
	ROW("cuCtxCreate", 3020, cuCtxCreate),
	ROW("cuCtxCreate", 11040, cuCtxCreate_v3),
	ROW("cuCtxCreate", 12050, cuCtxCreate_v4),
	ROW("cuCtxDestroy", 4000, cuCtxDestroy),
	ROW("cuCtxSetCurrent", 4000, cuCtxSetCurrent),
	ROW("cuCtxSynchronize", 2000, cuCtxSynchronize),
	ROW("cuCtxSynchronize", 13000, cuCtxSynchronize_v2),
	ROW("cuModuleLoadData", 2000, cuModuleLoadData),
	ROW("cuModuleGetFunction", 2000, cuModuleGetFunction),
	ROW("cuModuleUnload", 2000, cuModuleUnload),
	ROW("cuMemAlloc", 3020, cuMemAlloc),
	ROW("cuMemFree", 3020, cuMemFree),
	ROW("cuMemAllocHost", 3020, cuMemAllocHost),
	ROW("cuMemFreeHost", 2000, cuMemFreeHost),
	ROW("cuMemHostRegister", 6050, cuMemHostRegister),
	ROW("cuMemHostUnregister", 4000, cuMemHostUnregister),
	ROW("cuMemcpyHtoD", 3020, cuMemcpyHtoD),
	ROW("cuMemcpyDtoH", 3020, cuMemcpyDtoH),
	ROW("cuMemcpyHtoDAsync", 3020, cuMemcpyHtoDAsync),
	ROW("cuMemcpyDtoHAsync", 3020, cuMemcpyDtoHAsync),
	ROW("cuLaunchKernel", 4000, cuLaunchKernel),
	ROW("cuStreamCreate", 2000, cuStreamCreate),
	ROW("cuStreamDestroy", 4000, cuStreamDestroy),
	ROW("cuStreamSynchronize", 2000, cuStreamSynchronize),
	ROW("cuStreamWaitEvent", 3020, cuStreamWaitEvent),
	ROW("cuEventCreate", 2000, cuEventCreate),
	ROW("cuEventDestroy", 4000, cuEventDestroy),
	ROW("cuEventRecord", 2000, cuEventRecord),
	ROW("cuEventSynchronize", 2000, cuEventSynchronize),
	ROW("cuStreamBeginCapture", 10010, cuStreamBeginCapture),
	ROW("cuStreamEndCapture", 10000, cuStreamEndCapture),
	ROW("cuGraphGetNodes", 10000, cuGraphGetNodes),
	ROW("cuGraphInstantiate", 12000, cuGraphInstantiate),
	ROW("cuGraphInstantiateWithFlags", 11040, cuGraphInstantiate),
	ROW("cuGraphUpload", 11010, cuGraphUpload),
	ROW("cuGraphLaunch", 10000, cuGraphLaunch),
	ROW("cuGraphExecDestroy", 10000, cuGraphExecDestroy),
	ROW("cuGraphDestroy", 10000, cuGraphDestroy),
	ROW("cuGetErrorString", 6000, cuGetErrorString),
	ROW("cuGetProcAddress", 11030, cuGetProcAddress_v1),
	ROW("cuGetProcAddress", 12000, cuGetProcAddress),
	ROW("cuDeviceTotalMem", 3020, cuDeviceTotalMem),
	ROW("cuDeviceGetUuid", 9020, cuDeviceGetUuid),
	ROW("cuDeviceGetUuid", 11040, cuDeviceGetUuid_v2),
	ROW("cuCtxGetCurrent", 4000, cuCtxGetCurrent),
	ROW("cuCtxPushCurrent", 4000, cuCtxPushCurrent),
	ROW("cuCtxPopCurrent", 4000, cuCtxPopCurrent),
	ROW("cuCtxGetDevice", 2000, cuCtxGetDevice),
	ROW("cuCtxGetDevice", 13000, cuCtxGetDevice_v2),
	ROW("cuMemGetInfo", 3020, cuMemGetInfo),
	ROW("cuMemcpyDtoD", 3020, cuMemcpyDtoD),
	ROW("cuMemcpyDtoDAsync", 3020, cuMemcpyDtoDAsync),
	ROW("cuMemsetD8", 3020, cuMemsetD8),
	ROW("cuMemsetD32", 3020, cuMemsetD32),
	ROW("cuStreamQuery", 2000, cuStreamQuery),
	ROW("cuEventQuery", 2000, cuEventQuery),
	ROW("cuEventElapsedTime", 2000, cuEventElapsedTime),
	ROW("cuEventElapsedTime", 12080, cuEventElapsedTime_v2),
/* clang-format on */
#undef ROW
};

/* This driver has only one default stream, so the flags have no effect. */
static int get(const char *symbol, void **function, int version, uint64_t flags,
	       int *status)
{
	any_function found = NULL;

	if (!symbol || !function || flags > FLAGS || version > KT_CUDA_VERSION) {
		return KT_CU_INVALID_VALUE;
	}
	/*
	 * Finds the last row of this name that is not newer than `version`. If there is no
	 * such row, the function is NULL and *status gives the reason.
	 */
	*status = NAME_UNKNOWN;
	for (size_t i = 0; i < sizeof(entry_points) / sizeof(entry_points[0]); i++) {
		if (strcmp(entry_points[i].name, symbol) != 0) {
			continue;
		}
		if (entry_points[i].since <= version) {
			found = entry_points[i].function;
		}
		*status = found ? FOUND : VERSION_TOO_OLD;
	}
	/* ISO C has no cast between object and function pointers. */
	memcpy(function, &found, sizeof(*function));
	return KT_CU_OK;
}

kt_cu_result cuGetProcAddress(const char *symbol, void **function, int version,
			      uint64_t flags, int *status)
{
	KT_API(cuGetProcAddress);
	int found = FOUND;
	int code = get(symbol, function, version, flags, &found);

	if (!code && status) {
		*status = found;
	}
	return code;
}

/* This version, of CUDA 11, reports a missing function by its result. */
kt_cu_result cuGetProcAddress_v1(const char *symbol, void **function, int version,
				 uint64_t flags)
{
	KT_API(cuGetProcAddress_v1);
	int status = FOUND;
	int code = get(symbol, function, version, flags, &status);

	return code || status == FOUND ? code : KT_CU_NOT_FOUND;
}
