/* SPDX-License-Identifier: MIT */
/* Vector addition with copies from and to pageable host memory: the papers' first program.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "corpus/workloads/common.h"

struct options {
	unsigned long size;
	unsigned long repeat;
};

static const struct kt_option table[] = {
	{"size", 'n', "N", "elements of 4 bytes in a vector (default 4096)",
	 KT_NUMBER(struct options, size, 1, 1ul << 24)},
	{"repeat", 'r', "N", "how often all is done (default 1)",
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

struct vectors {
	uint32_t n;
	uint32_t *a, *b, *c;      /* host */
	kt_cu_address da, db, dc; /* device */
};

/* One round; true if the device's sum is right. */
static bool add(const struct kt_kernels *kernels, struct vectors *v, uint32_t seed)
{
	size_t bytes = v->n * sizeof(uint32_t);

	kt_fill(v->a, v->n, seed);
	kt_fill(v->b, v->n, seed + 1);
	KT_CU(cuMemcpyHtoD, v->da, v->a, bytes);
	KT_CU(cuMemcpyHtoD, v->db, v->b, bytes);
	kt_launch_vector_add(kernels, NULL, v->da, v->db, v->dc, v->n);
	KT_CU(cuMemcpyDtoH, v->c, v->dc, bytes);
	for (uint32_t i = 0; i < v->n; i++) {
		if (v->c[i] != v->a[i] + v->b[i]) {
			printf("vadd: element %" PRIu32 " is wrong\n", i);
			return false;
		}
	}
	return true;
}

int main(int argc, char **argv)
{
	struct options options = {.size = 4096, .repeat = 1};
	struct vectors v;
	size_t bytes;
	struct kt_kernels kernels;
	kt_cu_context context;
	kt_cu_device device;
	bool right = true;

	kt_work_options("vadd", &command, argc, argv, &options);
	device = kt_work_start();
	KT_CU(cuDevicePrimaryCtxRetain, &context, device);
	KT_CU(cuCtxSetCurrent, context);
	kt_kernels_load(&kernels);
	v.n = (uint32_t)options.size;
	bytes = v.n * sizeof(uint32_t);
	v.a = kt_work_allocate(bytes);
	v.b = kt_work_allocate(bytes);
	v.c = kt_work_allocate(bytes);
	KT_CU(cuMemAlloc, &v.da, bytes);
	KT_CU(cuMemAlloc, &v.db, bytes);
	KT_CU(cuMemAlloc, &v.dc, bytes);

	for (unsigned long round = 0; round < options.repeat && right; round++) {
		right = add(&kernels, &v, (uint32_t)round);
	}
	printf("vadd: %lu elements, %lu times, checksum %016" PRIx64 ": %s\n", options.size,
	       options.repeat, kt_checksum(v.c, bytes), right ? "ok" : "wrong");

	KT_CU(cuMemFree, v.da);
	KT_CU(cuMemFree, v.db);
	KT_CU(cuMemFree, v.dc);
	free(v.a);
	free(v.b);
	free(v.c);
	kt_kernels_unload(&kernels);
	KT_CU(cuCtxSetCurrent, NULL);
	KT_CU(cuDevicePrimaryCtxRelease, device);
	return kt_work_end(right);
}
