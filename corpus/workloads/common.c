/* SPDX-License-Identifier: MIT */
#include "corpus/workloads/common.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ktail/status.h>

struct kt_cuda kt_cuda;

static const char *program;
static const struct kt_command_line *program_command;

int kt_work_help(void *context, const char *value)
{
	(void)context;
	(void)value;
	kt_options_help(program_command, stdout);
	exit(kt_work_end(true));
}

int kt_work_choice(unsigned long *out, const char *value, const char *const *names,
		   const char *option)
{
	char list[128] = "";

	for (unsigned long i = 0; names[i]; i++) {
		if (strcmp(names[i], value) == 0) {
			*out = i;
			return KT_OK;
		}
		snprintf(list + strlen(list), sizeof(list) - strlen(list), " %s", names[i]);
	}
	return kt_error(KT_E_USAGE, "%s must be one of%s, not '%s'", option, list, value);
}

void kt_work_options(const char *name, const struct kt_command_line *command, int argc,
		     char **argv, void *context)
{
	int n_operands = 0;
	int code;

	program = name;
	program_command = command;
	code = kt_options_parse(command, argc, argv, context, &n_operands);
	if (!code && n_operands > 0) {
		code = kt_error(KT_E_USAGE, "unexpected argument '%s'", argv[0]);
	}
	if (code) {
		fprintf(stderr, "%s: %s\n", program, kt_error_message());
		exit(KT_WORK_USAGE);
	}
}

static void say(const char *format, va_list arguments)
{
	fflush(stdout);
	fprintf(stderr, "%s: ", program);
	vfprintf(stderr, format, arguments);
	fputc('\n', stderr);
}

_Noreturn void kt_work_fail(const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	say(format, arguments);
	va_end(arguments);
	exit(KT_WORK_WRONG);
}

_Noreturn void kt_work_no_gpu(const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	say(format, arguments);
	va_end(arguments);
	exit(KT_WORK_NO_GPU);
}

void kt_work_check(const char *function, int result)
{
	if (result != 0) {
		kt_work_fail("%s: error %d", function, result);
	}
}

static const char *error_name(kt_cu_result result)
{
	const char *name = NULL;

	if (kt_cuda.cuGetErrorName(result, &name) != KT_CU_SUCCESS || !name) {
		return "unknown error";
	}
	return name;
}

void kt_cuda_check(const char *function, kt_cu_result result)
{
	if (result != KT_CU_SUCCESS) {
		kt_work_fail("%s: %s (%d)", function, error_name(result), result);
	}
}

void kt_work_wait(void)
{
	kt_cuda_check("cuCtxSynchronize", kt_cuda.cuCtxSynchronize());
}

static void check_load(enum kt_library_load load, const char *library, const char *reason)
{
	switch (load) {
	case KT_LIBRARY_LOADED: break;
	case KT_LIBRARY_ABSENT: kt_work_no_gpu("load %s: %s", library, reason);
	case KT_LIBRARY_NO_SYMBOL:
		kt_work_fail("find %s in %s: not found", reason, library);
	}
}

void kt_work_load(const char *library, const char *const *names, size_t n, void *functions)
{
	const char *reason = "";
	enum kt_library_load load = kt_library_load(library, names, n, functions, &reason);

	check_load(load, library, reason);
}

kt_cu_device kt_work_start(void)
{
	kt_cu_device device = 0;
	const char *reason = "";
	enum kt_library_load load = kt_cuda_load(&kt_cuda, &reason);
	kt_cu_result result;
	int count = 0;

	check_load(load, "libcuda.so.1", reason);
	result = kt_cuda.cuInit(0);
	if (result == KT_CU_NO_DEVICE || result == KT_CU_STUB_LIBRARY) {
		kt_work_no_gpu("cuInit: %s (%d)", error_name(result), result);
	}
	kt_cuda_check("cuInit", result);
	KT_CU(cuDeviceGetCount, &count);
	if (count == 0) {
		kt_work_no_gpu("cuDeviceGetCount: no device");
	}
	KT_CU(cuDeviceGet, &device, 0);
	return device;
}

kt_cu_context kt_work_enter(kt_cu_device *device, unsigned flags)
{
	kt_cu_context context = NULL;

	*device = kt_work_start();
	if (flags) {
		KT_CU(cuDevicePrimaryCtxSetFlags, *device, flags);
	}
	KT_CU(cuDevicePrimaryCtxRetain, &context, *device);
	KT_CU(cuCtxSetCurrent, context);
	return context;
}

void kt_work_leave(kt_cu_device device)
{
	KT_CU(cuCtxSetCurrent, NULL);
	KT_CU(cuDevicePrimaryCtxRelease, device);
}

int kt_work_end(bool right)
{
	if (fflush(stdout) != 0 || ferror(stdout)) {
		fprintf(stderr, "%s: write standard output: failed\n", program);
		return KT_WORK_WRONG;
	}
	return right ? KT_WORK_OK : KT_WORK_WRONG;
}

void kt_kernels_load(struct kt_kernels *kernels)
{
	KT_CU(cuModuleLoadData, &kernels->module, kt_kernels_ptx);
	KT_CU(cuModuleGetFunction, &kernels->vector_add, kernels->module, "vector_add");
	KT_CU(cuModuleGetFunction, &kernels->scale, kernels->module, "scale");
	KT_CU(cuModuleGetFunction, &kernels->spin, kernels->module, "spin");
}

void kt_kernels_unload(struct kt_kernels *kernels)
{
	KT_CU(cuModuleUnload, kernels->module);
}

void kt_launch_scale(const struct kt_kernels *kernels, kt_cu_stream stream, kt_cu_address x,
		     uint32_t n, uint32_t factor, uint32_t addend)
{
	void *parameters[] = {&x, &n, &factor, &addend};

	KT_CU(cuLaunchKernel, kernels->scale, KT_GRID(n), 1, 1, KT_BLOCK, 1, 1, 0, stream,
	      parameters, NULL);
}

void kt_launch_vector_add(const struct kt_kernels *kernels, kt_cu_stream stream,
			  kt_cu_address a, kt_cu_address b, kt_cu_address c, uint32_t n)
{
	void *parameters[] = {&a, &b, &c, &n};

	KT_CU(cuLaunchKernel, kernels->vector_add, KT_GRID(n), 1, 1, KT_BLOCK, 1, 1, 0,
	      stream, parameters, NULL);
}

void kt_launch_spin(const struct kt_kernels *kernels, kt_cu_stream stream,
		    kt_cu_address counter, uint64_t ticks)
{
	void *parameters[] = {&counter, &ticks};

	KT_CU(cuLaunchKernel, kernels->spin, 1, 1, 1, 1, 1, 1, 0, stream, parameters, NULL);
}

void *kt_work_allocate(size_t bytes)
{
	void *memory = calloc(1, bytes ? bytes : 1);

	if (!memory) {
		kt_work_fail("allocate %zu bytes: out of memory", bytes);
	}
	return memory;
}

void kt_fill(uint32_t *values, size_t n, uint32_t seed)
{
	uint32_t state = seed * 2654435761u + 1u;

	for (size_t i = 0; i < n; i++) {
		state = state * 1664525u + 1013904223u;
		values[i] = state >> 8;
	}
}

uint64_t kt_checksum(const void *data, size_t bytes)
{
	const unsigned char *byte = data;
	uint64_t hash = 14695981039346656037u;

	for (size_t i = 0; i < bytes; i++) {
		hash = (hash ^ byte[i]) * 1099511628211u;
	}
	return hash;
}

bool kt_sum_check(const uint32_t *a, const uint32_t *b, const uint32_t *c, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		if (c[i] != a[i] + b[i]) {
			printf("%s: element %" PRIu32 " is wrong\n", program, i);
			return false;
		}
	}
	return true;
}

void kt_sum_report(const uint32_t *c, unsigned long n, unsigned long repeat, bool right)
{
	printf("%s: %lu elements, %lu times, checksum %016" PRIx64 ": %s\n", program, n,
	       repeat, kt_checksum(c, n * sizeof(*c)), right ? "ok" : "wrong");
}
