/* SPDX-License-Identifier: MIT */
/* Initialisation, errors and devices. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/try.h"
#include "corpus/softgpu/driver/api.h"

int kt_enter_driver(void)
{
	return kt_driver_get() ? KT_CU_OK : KT_CU_NOT_INITIALIZED;
}

/* Protected by `lock`, which is recursive because the injected library may call cuInit. */
static bool begun;
static pthread_mutex_t lock = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;

/*
 * Loads a tool's library as CUPTI's manual specifies: cuInit loads the library named by
 * CUDA_INJECTION64_PATH and calls its `int InitializeInjection(void)`, once per process
 * and before the driver is opened. Other threads wait in cuInit meanwhile, but the library
 * may call cuInit itself. A library that cannot be loaded, has no such function or fails
 * is ignored: the program runs without it.
 */
static void load_injection(void)
{
	const char *path = getenv("CUDA_INJECTION64_PATH");

	pthread_mutex_lock(&lock);
	if (!begun) {
		begun = true;
		if (path && *path) {
			void *library = dlopen(path, RTLD_NOW);
			void *symbol =
				library ? dlsym(library, "InitializeInjection") : NULL;
			int (*initialize)(void) = NULL;

			memcpy(&initialize, &symbol, sizeof(initialize));
			if (initialize) {
				(void)initialize();
			}
		}
	}
	pthread_mutex_unlock(&lock);
}

kt_cu_result cuInit(unsigned flags)
{
	KT_API(cuInit);

	if (flags) {
		return KT_CU_INVALID_VALUE;
	}
	/* In a forked child, `lock` may be held by a thread that does not exist there. */
	if (kt_driver_is_parents()) {
		return KT_CU_NOT_INITIALIZED;
	}
	load_injection();
	return kt_driver_open();
}

kt_cu_result cuDriverGetVersion(int *version)
{
	KT_API(cuDriverGetVersion);

	if (!version) {
		return KT_CU_INVALID_VALUE;
	}
	*version = KT_CUDA_VERSION;
	return KT_CU_OK;
}

/* --- errors --- */

static const struct {
	kt_cu_result code;
	const char *name;
	const char *text;
} errors[] = {
	{KT_CU_OK, "CUDA_SUCCESS", "no error"},
	{KT_CU_INVALID_VALUE, "CUDA_ERROR_INVALID_VALUE", "invalid argument"},
	{KT_CU_OUT_OF_MEMORY, "CUDA_ERROR_OUT_OF_MEMORY", "out of memory"},
	{KT_CU_NOT_INITIALIZED, "CUDA_ERROR_NOT_INITIALIZED", "initialization error"},
	{KT_CU_STUB_LIBRARY, "CUDA_ERROR_STUB_LIBRARY", "CUDA driver is a stub library"},
	{KT_CU_NO_DEVICE_HERE, "CUDA_ERROR_NO_DEVICE",
	 "no CUDA-capable device is detected"},
	{KT_CU_INVALID_DEVICE, "CUDA_ERROR_INVALID_DEVICE", "invalid device ordinal"},
	{KT_CU_INVALID_IMAGE, "CUDA_ERROR_INVALID_IMAGE", "device kernel image is invalid"},
	{KT_CU_INVALID_CONTEXT, "CUDA_ERROR_INVALID_CONTEXT", "invalid device context"},
	{KT_CU_NO_BINARY_FOR_GPU, "CUDA_ERROR_NO_BINARY_FOR_GPU",
	 "no kernel image is available for execution on the device"},
	{KT_CU_OPERATING_SYSTEM, "CUDA_ERROR_OPERATING_SYSTEM", "OS call failed"},
	{KT_CU_INVALID_HANDLE, "CUDA_ERROR_INVALID_HANDLE", "invalid resource handle"},
	{KT_CU_ILLEGAL_STATE, "CUDA_ERROR_ILLEGAL_STATE", "illegal state"},
	{KT_CU_NOT_FOUND, "CUDA_ERROR_NOT_FOUND", "named symbol not found"},
	{KT_CU_NOT_READY, "CUDA_ERROR_NOT_READY", "device not ready"},
	{KT_CU_ILLEGAL_ADDRESS, "CUDA_ERROR_ILLEGAL_ADDRESS", "illegal memory access"},
	{KT_CU_OUT_OF_RESOURCES, "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES",
	 "too many resources requested for launch"},
	{KT_CU_CONTEXT_IS_DESTROYED, "CUDA_ERROR_CONTEXT_IS_DESTROYED",
	 "context is destroyed"},
	{KT_CU_HOST_ALREADY_REGISTERED, "CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED",
	 "part or all of the requested memory range is already mapped"},
	{KT_CU_HOST_NOT_REGISTERED, "CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED",
	 "pointer does not correspond to a registered memory region"},
	{KT_CU_ILLEGAL_INSTRUCTION, "CUDA_ERROR_ILLEGAL_INSTRUCTION",
	 "illegal instruction"},
	{KT_CU_LAUNCH_FAILED, "CUDA_ERROR_LAUNCH_FAILED", "launch failure"},
	{KT_CU_NOT_SUPPORTED, "CUDA_ERROR_NOT_SUPPORTED", "operation not supported"},
	{KT_CU_DRIVER_MISMATCH, "CUDA_ERROR_SYSTEM_DRIVER_MISMATCH",
	 "the kernel module is not of the driver's release"},
	{KT_CU_CAPTURE_UNSUPPORTED, "CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED",
	 "operation not permitted when stream is capturing"},
	{KT_CU_CAPTURE_INVALIDATED, "CUDA_ERROR_STREAM_CAPTURE_INVALIDATED",
	 "operation failed due to a previous error during capture"},
	{KT_CU_CAPTURE_IMPLICIT, "CUDA_ERROR_STREAM_CAPTURE_IMPLICIT",
	 "operation would make the legacy stream depend on a capturing blocking stream"},
	{KT_CU_CAPTURE_WRONG_THREAD, "CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD",
	 "attempt to terminate a thread-local capture sequence from another thread"},
	{KT_CU_UNKNOWN, "CUDA_ERROR_UNKNOWN", "unknown error"},
};

static int find_error(kt_cu_result code, const char **out, bool text)
{
	if (!out) {
		return KT_CU_INVALID_VALUE;
	}
	*out = NULL;
	for (size_t i = 0; i < sizeof(errors) / sizeof(errors[0]); i++) {
		if (errors[i].code == code) {
			*out = text ? errors[i].text : errors[i].name;
			return KT_CU_OK;
		}
	}
	return KT_CU_INVALID_VALUE;
}

kt_cu_result cuGetErrorName(kt_cu_result code, const char **name)
{
	KT_API(cuGetErrorName);

	return find_error(code, name, false);
}

kt_cu_result cuGetErrorString(kt_cu_result code, const char **text)
{
	KT_API(cuGetErrorString);

	return find_error(code, text, true);
}

/* --- devices: number 0 is the only one --- */

static int enter_device(kt_cu_device device, const void *out)
{
	KT_TRY(kt_enter_driver());
	if (!out) {
		return KT_CU_INVALID_VALUE;
	}
	return device == 0 ? KT_CU_OK : KT_CU_INVALID_DEVICE;
}

kt_cu_result cuDeviceGetCount(int *count)
{
	KT_API(cuDeviceGetCount);
	int code = enter_device(0, count);

	if (!code) {
		*count = 1;
	}
	return code;
}

kt_cu_result cuDeviceGet(kt_cu_device *device, int ordinal)
{
	KT_API(cuDeviceGet);
	int code = enter_device(ordinal, device);

	if (!code) {
		*device = 0;
	}
	return code;
}

kt_cu_result cuDeviceGetName(char *name, int size, kt_cu_device device)
{
	KT_API(cuDeviceGetName);
	int code = enter_device(device, name);
	size_t length;

	if (code || size <= 0) {
		return code ? code : KT_CU_INVALID_VALUE;
	}
	length = strnlen(kt_driver_get()->name, (size_t)size - 1);
	memcpy(name, kt_driver_get()->name, length);
	name[length] = '\0';
	return KT_CU_OK;
}

kt_cu_result cuDeviceTotalMem(size_t *bytes, kt_cu_device device)
{
	KT_API(cuDeviceTotalMem);
	int code = enter_device(device, bytes);

	if (!code) {
		*bytes = kt_driver_get()->memory_bytes;
	}
	return code;
}

static int get_uuid(struct kt_cu_uuid *uuid, kt_cu_device device)
{
	int code = enter_device(device, uuid);

	if (!code) {
		memcpy(uuid->bytes, kt_driver_get()->uuid, sizeof(uuid->bytes));
	}
	return code;
}

kt_cu_result cuDeviceGetUuid(struct kt_cu_uuid *uuid, kt_cu_device device)
{
	KT_API(cuDeviceGetUuid);

	return get_uuid(uuid, device);
}

/* cuDeviceGetUuid and this version differ only for a device partitioned by MIG. */
kt_cu_result cuDeviceGetUuid_v2(struct kt_cu_uuid *uuid, kt_cu_device device)
{
	KT_API(cuDeviceGetUuid_v2);

	return get_uuid(uuid, device);
}

/* Attributes of a device of compute capability 9.0; unlisted attributes are 0. */
static const struct {
	int attribute;
	int value;
} attributes[] = {
	{1, 1024}, /* maximum: threads per block */
	{2, 1024}, /* maximum block: x, y, z */
	{3, 1024},
	{4, 64},
	{5, 0x7fffffff}, /* maximum grid: x, y, z */
	{6, 65535},
	{7, 65535},
	{8, 49152},       /* maximum: shared memory per block, bytes */
	{9, 65536},       /* constant memory, bytes */
	{10, 32},         /* threads per warp */
	{11, 0x7fffffff}, /* maximum pitch, bytes */
	{12, 65536},      /* maximum: registers per block */
	{13, 1755000},    /* clock, kHz */
	{14, 512},        /* texture alignment, bytes */
	{15, 1},          /* can copy while kernels run */
	{16, 1},          /* number of multiprocessors */
	{19, 1},          /* can map host memory */
	{31, 1},          /* can run kernels of several streams concurrently */
	{39, 2048},       /* maximum: threads per multiprocessor */
	{40, 1},          /* number of copy engines */
	{41, 1},          /* unified addressing */
	{KT_CU_COMPUTE_MAJOR, 9},
	{KT_CU_COMPUTE_MINOR, 0},
};
enum { PCI_BUS = 33, PCI_SLOT = 34, PCI_DOMAIN = 50, LAST_ATTRIBUTE = 150 };

kt_cu_result cuDeviceGetAttribute(int *value, int attribute, kt_cu_device device)
{
	KT_API(cuDeviceGetAttribute);

	KT_TRY(enter_device(device, value));
	if (attribute < 1 || attribute > LAST_ATTRIBUTE) {
		return KT_CU_INVALID_VALUE;
	}
	switch (attribute) {
	case PCI_BUS: *value = kt_driver_get()->pci_bus; return KT_CU_OK;
	case PCI_SLOT: *value = kt_driver_get()->pci_slot; return KT_CU_OK;
	case PCI_DOMAIN: *value = (int)kt_driver_get()->pci_domain; return KT_CU_OK;
	default: *value = 0;
	}
	for (size_t i = 0; i < sizeof(attributes) / sizeof(attributes[0]); i++) {
		if (attributes[i].attribute == attribute) {
			*value = attributes[i].value;
		}
	}
	return KT_CU_OK;
}
