/* SPDX-License-Identifier: MIT */
/*
 * Adds two vectors, with copies from and to pageable host memory. This was the first
 * program of the 2013 papers.
 */
#include <stdlib.h>

#include "corpus/workloads/common.h"

struct options {
	unsigned long size;
	unsigned long repeat;
};

static const struct kt_option table[] = {
	{"size", 'n', "N", "elements of 4 bytes in a vector (default 4096)",
	 KT_NUMBER(struct options, size, 1, 1ul << 24)},
	{"repeat", 'r', "N", "repetitions (default 1)",
	 KT_NUMBER(struct options, repeat, 1, 10000)},
	KT_WORK_HELP,
	{0},
};

static const struct kt_command_line command = {
	.usage = "vadd [--size N] [--repeat N]",
	.summary = "Copies two vectors to the device, adds them there, copies the sum "
		   "back and checks it.",
	.table = table,
};

int main(int argc, char **argv)
{
	struct options options = {.size = 4096, .repeat = 1};
	uint32_t n;
	size_t bytes;
	uint32_t *a, *b, *c;                  /* host */
	kt_cu_address da = 0, db = 0, dc = 0; /* device */
	struct kt_kernels kernels;
	kt_cu_device device;
	bool right = true;

	kt_work_options("vadd", &command, argc, argv, &options);
	kt_work_enter(&device, 0);
	kt_kernels_load(&kernels);
	n = (uint32_t)options.size;
	bytes = n * sizeof(uint32_t);
	a = kt_work_allocate(bytes);
	b = kt_work_allocate(bytes);
	c = kt_work_allocate(bytes);
	KT_CU(cuMemAlloc, &da, bytes);
	KT_CU(cuMemAlloc, &db, bytes);
	KT_CU(cuMemAlloc, &dc, bytes);

	for (unsigned long round = 0; round < options.repeat && right; round++) {
		kt_fill(a, n, (uint32_t)round);
		kt_fill(b, n, (uint32_t)round + 1);
		KT_CU(cuMemcpyHtoD, da, a, bytes);
		KT_CU(cuMemcpyHtoD, db, b, bytes);
		kt_launch_vector_add(&kernels, NULL, da, db, dc, n);
		KT_CU(cuMemcpyDtoH, c, dc, bytes);
		right = kt_sum_check(a, b, c, n);
	}
	kt_sum_report(c, options.size, options.repeat, right);

	KT_CU(cuMemFree, da);
	KT_CU(cuMemFree, db);
	KT_CU(cuMemFree, dc);
	free(a);
	free(b);
	free(c);
	kt_kernels_unload(&kernels);
	kt_work_leave(device);
	return kt_work_end(right);
}
