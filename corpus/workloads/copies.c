/* SPDX-License-Identifier: MIT */
/*
 * A sweep of transfer sizes, host to device and back. The sizes stand on both sides of the
 * places where the driver was seen to change its way: 24 KiB (data inside the command
 * stream up to there, the copy engine above), 64 KiB, 1 MiB (the size of a staging buffer).
 */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include "corpus/workloads/common.h"

enum memory { PAGEABLE, PINNED, REGISTERED };

static const char *const memory_names[] = {"pageable", "pinned", "registered", NULL};

static const size_t sizes[] = {
	4,     32,    256,   1024,   4096,   8192,    16384,   24576,   24577,
	32768, 65536, 65537, 131072, 262144, 1048576, 1048577, 2097152, 4194304,
};

struct options {
	unsigned long memory;
	unsigned long max;
	unsigned long repeat;
};

static int set_memory(void *context, const char *value)
{
	return kt_work_choice(&((struct options *)context)->memory, value, memory_names,
			      "--memory");
}
KT_WORK_NUMBER(max, "--max", 4, 4194304)
KT_WORK_NUMBER(repeat, "--repeat", 1, 10000)

static const struct kt_option table[] = {
	{"memory", 'm', "KIND", "host memory: pageable (default), pinned, registered",
	 set_memory},
	{"max", 'n', "BYTES", "the largest transfer (default 4194304)", set_max},
	{"repeat", 'r', "N", "how often each size is copied (default 1)", set_repeat},
	KT_WORK_HELP,
	{NULL, 0, NULL, NULL, NULL},
};

static const struct kt_command_line command = {
	.usage = "copies [--memory KIND] [--max BYTES] [--repeat N]",
	.summary = "Copies blocks from 4 bytes to 4 MiB to the device and back and "
		   "compares them.",
	.table = table,
};

/* Host memory of whole pages, so that registering it touches nothing else. */
static void *make_host(unsigned long kind, size_t bytes)
{
	void *memory = NULL;

	if (kind == PINNED) {
		KT_CU(cuMemAllocHost, &memory, bytes);
		return memory;
	}
	memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
		      0);
	if (memory == MAP_FAILED) {
		kt_work_fail("allocate %zu bytes: mmap failed", bytes);
	}
	if (kind == REGISTERED) {
		KT_CU(cuMemHostRegister, memory, bytes, 0);
	}
	return memory;
}

static void free_host(unsigned long kind, void *memory, size_t bytes)
{
	if (kind == PINNED) {
		KT_CU(cuMemFreeHost, memory);
		return;
	}
	if (kind == REGISTERED) {
		KT_CU(cuMemHostUnregister, memory);
	}
	munmap(memory, bytes);
}

/* There and back once; true if what came back is what was sent. */
static bool copy(kt_cu_address device, const void *there, void *back, size_t bytes)
{
	memset(back, 0, bytes);
	KT_CU(cuMemcpyHtoD, device, there, bytes);
	KT_CU(cuMemcpyDtoH, back, device, bytes);
	return memcmp(there, back, bytes) == 0;
}

static bool sweep(const struct options *options)
{
	uint32_t *there = make_host(options->memory, options->max);
	void *back = make_host(options->memory, options->max);
	kt_cu_address device = 0;
	bool right = true;

	memset(there, 0, options->max);
	KT_CU(cuMemAlloc, &device, options->max);
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		if (sizes[i] > options->max) {
			break;
		}
		for (unsigned long round = 0; round < options->repeat && right; round++) {
			kt_fill(there, sizes[i] / sizeof(*there), (uint32_t)(i + round));
			right = copy(device, there, back, sizes[i]);
		}
		printf("copies: %s, %zu bytes, checksum %016" PRIx64 ": %s\n",
		       memory_names[options->memory], sizes[i], kt_checksum(back, sizes[i]),
		       right ? "ok" : "wrong");
	}
	KT_CU(cuMemFree, device);
	free_host(options->memory, there, options->max);
	free_host(options->memory, back, options->max);
	return right;
}

int main(int argc, char **argv)
{
	struct options options = {.memory = PAGEABLE, .max = 4194304, .repeat = 1};
	kt_cu_context context;
	kt_cu_device device;
	bool right;

	kt_work_options("copies", &command, argc, argv, &options);
	device = kt_work_start();
	KT_CU(cuDevicePrimaryCtxRetain, &context, device);
	KT_CU(cuCtxSetCurrent, context);
	right = sweep(&options);
	KT_CU(cuCtxSetCurrent, NULL);
	KT_CU(cuDevicePrimaryCtxRelease, device);
	return kt_work_end(right);
}
