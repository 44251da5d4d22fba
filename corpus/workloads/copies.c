/* SPDX-License-Identifier: MIT */
/*
 * Copies data from the host to the device and back, in several sizes. The default sizes lie
 * below and above the thresholds observed in the driver: 24 KiB (inline data up to this
 * size, copy engine above), 64 KiB, and 1 MiB (the size of a staging buffer).
 */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include <ktail/status.h>

#include "corpus/workloads/common.h"
#include "corpus/workloads/measure.h"

enum { MAX_SIZES = 128, MAX_BYTES = 4194304 };
enum memory { PAGEABLE, PINNED, REGISTERED };

static const char *const memory_names[] = {"pageable", "pinned", "registered", NULL};

static const size_t usual_sizes[] = {
	4,     32,    256,   1024,   4096,   8192,    16384,   24576,   24577,
	32768, 65536, 65537, 131072, 262144, 1048576, 1048577, 2097152, 4194304,
};

struct options {
	unsigned long memory;
	unsigned long max;
	unsigned long repeat;
	size_t sizes[MAX_SIZES];
	size_t n_sizes;
	bool marks;
	bool times;
};

static int set_memory(void *context, const char *value)
{
	return kt_work_choice(&((struct options *)context)->memory, value, memory_names,
			      "--memory");
}
static int set_sizes(void *context, const char *value)
{
	struct options *options = context;

	options->n_sizes = 0;
	for (const char *at = value;; at++) {
		char text[16] = "";
		size_t length = strcspn(at, ",");
		unsigned long bytes = 0;
		int code;

		if (options->n_sizes == MAX_SIZES) {
			return kt_error(KT_E_USAGE, "--sizes: more than %d sizes",
					MAX_SIZES);
		}
		if (length < sizeof(text)) {
			memcpy(text, at, length);
		}
		code = kt_parse_number(&bytes, text, 1, MAX_BYTES, "each of --sizes");
		if (code) {
			return code;
		}
		options->sizes[options->n_sizes++] = bytes;
		at += length;
		if (!*at) {
			return KT_OK;
		}
	}
}

static const struct kt_option table[] = {
	{"memory", 'm', "KIND", "host memory: pageable (default), pinned, registered",
	 KT_SET(set_memory)},
	{"max", 'n', "BYTES", "the largest transfer (default 4194304)",
	 KT_NUMBER(struct options, max, 4, MAX_BYTES)},
	{"repeat", 'r', "N", "copies of each size (default 1)",
	 KT_NUMBER(struct options, repeat, 1, 10000)},
	{"sizes", 's', "LIST", "comma-separated sizes in bytes (default: 18 sizes)",
	 KT_SET(set_sizes)},
	{"marks", 'k', NULL, "mark each copy in the command stream",
	 KT_FLAG(struct options, marks)},
	{"times", 't', NULL, "print the duration of copies to standard error",
	 KT_FLAG(struct options, times)},
	KT_WORK_HELP,
	{0},
};

static const struct kt_command_line command = {
	.usage = "copies [--memory KIND] [--max BYTES] [--repeat N] [--sizes LIST] "
		 "[--marks] "
		 "[--times]",
	.summary = "Copies blocks from 4 bytes to 4 MiB to the device and back and "
		   "compares them.",
	.table = table,
};

/* Allocates host memory in whole pages, so that registering it affects no other memory. */
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

/* Resources shared by all copies. */
struct sweep {
	const struct options *options;
	uint32_t *there; /* data sent to the device */
	void *back;      /* data copied back */
	kt_cu_address device;
	struct kt_marks marks;
	struct kt_times to_device;
	struct kt_times from_device;
};

/*
 * Copies `bytes` bytes to the device and back, once per round; returns whether the data
 * always came back unchanged. Round r, counted from 0, fills the data from seed `seed` + r,
 * and writes mark (`bytes`, 2r) before the copy to the device and mark (`bytes`, 2r + 1)
 * before the copy back.
 */
static bool copy_size(struct sweep *sweep, size_t bytes, uint32_t seed)
{
	const struct options *options = sweep->options;
	char what[48];
	bool right = true;

	for (uint32_t round = 0; round < options->repeat && right; round++) {
		uint64_t begin;

		kt_fill(sweep->there, bytes / sizeof(*sweep->there), seed + round);
		memset(sweep->back, 0, bytes);
		kt_mark(&sweep->marks, (uint32_t)bytes, 2 * round);
		begin = kt_now_ns();
		KT_CU(cuMemcpyHtoD, sweep->device, sweep->there, bytes);
		kt_times_add(&sweep->to_device, begin);
		kt_mark(&sweep->marks, (uint32_t)bytes, 2 * round + 1);
		begin = kt_now_ns();
		KT_CU(cuMemcpyDtoH, sweep->back, sweep->device, bytes);
		kt_times_add(&sweep->from_device, begin);
		right = memcmp(sweep->there, sweep->back, bytes) == 0;
	}
	printf("copies: %s, %zu bytes, checksum %016" PRIx64 ": %s\n",
	       memory_names[options->memory], bytes, kt_checksum(sweep->back, bytes),
	       right ? "ok" : "wrong");
	snprintf(what, sizeof(what), "copies: to-device, %zu bytes", bytes);
	kt_times_report(&sweep->to_device, what, "calls");
	snprintf(what, sizeof(what), "copies: from-device, %zu bytes", bytes);
	kt_times_report(&sweep->from_device, what, "calls");
	return right;
}

int main(int argc, char **argv)
{
	struct options options = {.memory = PAGEABLE, .max = MAX_BYTES, .repeat = 1};
	struct sweep sweep = {.options = &options};
	const size_t *sizes;
	size_t n;
	kt_cu_device device;
	bool right = true;

	kt_work_options("copies", &command, argc, argv, &options);
	sizes = options.n_sizes ? options.sizes : usual_sizes;
	n = options.n_sizes ? options.n_sizes
			    : sizeof(usual_sizes) / sizeof(usual_sizes[0]);
	kt_work_enter(&device, 0);

	sweep.there = make_host(options.memory, options.max);
	sweep.back = make_host(options.memory, options.max);
	memset(sweep.there, 0, options.max);
	KT_CU(cuMemAlloc, &sweep.device, options.max);
	if (options.marks) {
		kt_marks_make(&sweep.marks);
	}
	if (options.times) {
		kt_times_make(&sweep.to_device, options.repeat);
		kt_times_make(&sweep.from_device, options.repeat);
	}
	for (size_t i = 0; i < n; i++) {
		if (sizes[i] <= options.max) {
			right = copy_size(&sweep, sizes[i], (uint32_t)i) && right;
		}
	}
	kt_mark_end(&sweep.marks);

	kt_times_free(&sweep.from_device);
	kt_times_free(&sweep.to_device);
	kt_marks_free(&sweep.marks);
	KT_CU(cuMemFree, sweep.device);
	free_host(options.memory, sweep.there, options.max);
	free_host(options.memory, sweep.back, options.max);
	kt_work_leave(device);
	return kt_work_end(right);
}
