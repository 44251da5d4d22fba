/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "tests/collect/cupti/stand-in.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#define EXPORT        __attribute__((visibility("default")))
#define INVALID_VALUE 1

EXPORT struct stand_in_subscriber stand_in_subscriber;

static uint32_t last_correlation;

/* Returns a number of the function, from 1, as CUPTI has one for each function. */
static uint32_t number_of(const char *name)
{
	static const char *names[16];
	uint32_t i = 0;

	while (names[i] && strcmp(names[i], name) != 0) {
		i++;
	}
	names[i] = name;
	return i + 1;
}

static void report(uint32_t domain, struct kt_cupti_data *data)
{
	if (stand_in_subscriber.domains & (1u << domain)) {
		stand_in_subscriber.callback(stand_in_subscriber.context, domain,
					     number_of(data->function_name), data);
	}
}

/* Calls the entry callback, does the function's work, and calls the exit callback. */
#define CALL(domain, name, params, result, work)                                           \
	do {                                                                               \
		uint64_t left_ = UINT64_MAX;                                               \
		struct kt_cupti_data data_ = {                                             \
			.site = KT_CUPTI_ENTER,                                            \
			.function_name = name,                                             \
			.function_params = params,                                         \
			.correlation_data = &left_,                                        \
			.correlation_id = ++last_correlation,                              \
		};                                                                         \
		report(domain, &data_);                                                    \
		work;                                                                      \
		data_.site = KT_CUPTI_EXIT;                                                \
		data_.return_value = &(result);                                            \
		report(domain, &data_);                                                    \
	} while (0)

static void inject(void)
{
	const char *path = getenv("CUDA_INJECTION64_PATH");
	void *library = path ? dlopen(path, RTLD_NOW) : NULL;
	void *symbol = library ? dlsym(library, "InitializeInjection") : NULL;
	int (*initialize)(void);

	memcpy(&initialize, &symbol, sizeof(symbol));
	if (initialize) {
		initialize();
	}
}

/* The injected library subscribes within cuInit, between its entry and exit callbacks. */
EXPORT int cuInit(unsigned flags)
{
	int result = flags ? INVALID_VALUE : 0;

	CALL(KT_CUPTI_DRIVER, "cuInit", &flags, result, inject());
	return result;
}

EXPORT int cuMemAlloc_v2(uint64_t *address, size_t size)
{
	const struct {
		uint64_t *address;
		size_t size;
	} params = {address, size};
	int result = size ? 0 : INVALID_VALUE;

	CALL(KT_CUPTI_DRIVER, "cuMemAlloc_v2", &params, result, *address = 0x7f0000000000);
	return result;
}

EXPORT int cuMemFree_v2(uint64_t address)
{
	int result = address ? 0 : INVALID_VALUE;

	CALL(KT_CUPTI_DRIVER, "cuMemFree_v2", &address, result, (void)0);
	return result;
}

EXPORT int cuMemcpyHtoD_v2(uint64_t to, const void *from, size_t size)
{
	const struct {
		uint64_t to;
		const void *from;
		size_t size;
	} params = {to, from, size};
	int result = 0;

	CALL(KT_CUPTI_DRIVER, "cuMemcpyHtoD_v2", &params, result, (void)0);
	return result;
}

EXPORT int cuCtxGetDevice(int *device)
{
	int result = 0;

	CALL(KT_CUPTI_DRIVER, "cuCtxGetDevice", &device, result, *device = 0);
	return result;
}

EXPORT int cuCtxSynchronize(void)
{
	int result = 0;

	CALL(KT_CUPTI_DRIVER, "cuCtxSynchronize", NULL, result, (void)0);
	return result;
}

EXPORT int cudaMemcpy(void *to, const void *from, size_t size, int kind)
{
	const struct {
		void *to;
		const void *from;
		size_t size;
		int kind;
	} params = {to, from, size, kind};
	int result = 0;

	CALL(KT_CUPTI_RUNTIME, "cudaMemcpy_v3020", &params, result,
	     result = cuMemcpyHtoD_v2((uint64_t)(uintptr_t)to, from, size));
	return result;
}

EXPORT int cuLaunchHostFunc(void *stream, void (*function)(void *), void *data)
{
	const struct {
		void *stream;
		void (*function)(void *);
		void *data;
	} params = {stream, function, data};
	int result = 0;

	CALL(KT_CUPTI_DRIVER, "cuLaunchHostFunc", &params, result, function(data));
	return result;
}

EXPORT int cuRecurse(int times)
{
	int result = 0;

	CALL(KT_CUPTI_DRIVER, "cuRecurse", &times, result,
	     result = times > 1 ? cuRecurse(times - 1) : 0);
	return result;
}
