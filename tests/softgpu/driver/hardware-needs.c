/* SPDX-License-Identifier: MIT */
/*
 * Loads the cubin of needs.cu and checks what its kernels compute: shared memory and
 * barriers, then local memory. Exits like a workload.
 */
#include <stdio.h>
#include <stdlib.h>

#include "corpus/workloads/common.h"

enum { N = 100000, BLOCK = 128, BLOCKS = (N + BLOCK - 1) / BLOCK, OWN = 64 };

static const _Alignas(8) unsigned char cubin[] = {
#include "tests/softgpu/driver/needs-sm90.inc"
};

static uint32_t in[N];
static uint32_t out[N];

static void launch(kt_cu_module module, const char *name, unsigned shared_bytes,
		   kt_cu_address from, kt_cu_address to)
{
	uint32_t n = N;
	void *arguments[] = {&from, &to, &n};
	kt_cu_function function;

	KT_CU(cuModuleGetFunction, &function, module, name);
	KT_CU(cuLaunchKernel, function, BLOCKS, 1, 1, BLOCK, 1, 1, shared_bytes, NULL,
	      arguments, NULL);
}

static bool sums_are_right(void)
{
	for (uint32_t block = 0; block < BLOCKS; block++) {
		const uint32_t end = (block + 1) * BLOCK < N ? (block + 1) * BLOCK : N;
		uint32_t sum = 0;

		for (uint32_t i = block * BLOCK; i < end; i++) {
			sum += in[i];
		}
		if (out[2 * block] != sum || out[2 * block + 1] != end - block * BLOCK) {
			return false;
		}
	}
	return true;
}

static bool hashes_are_right(void)
{
	for (uint32_t i = 0; i < N; i++) {
		uint32_t hash = 0;

		for (uint32_t j = 0; j < OWN; j++) {
			hash = hash * 31 + in[(i + in[j] % OWN) % N];
		}
		if (out[i] != hash) {
			return false;
		}
	}
	return true;
}

static const struct kt_option table[] = {KT_WORK_HELP, {0}};

static const struct kt_command_line command = {
	.usage = "hardware-needs",
	.summary = "Runs kernels that need shared and local memory.",
	.table = table,
};

int main(int argc, char **argv)
{
	kt_cu_device device;
	kt_cu_module module;
	kt_cu_address from = 0;
	kt_cu_address to = 0;
	bool right = true;

	kt_work_options("hardware-needs", &command, argc, argv, NULL);
	kt_work_enter(&device, 0);
	KT_CU(cuModuleLoadData, &module, cubin);
	KT_CU(cuMemAlloc, &from, sizeof(in));
	KT_CU(cuMemAlloc, &to, sizeof(out));
	kt_fill(in, N, 7);
	KT_CU(cuMemcpyHtoD, from, in, sizeof(in));
	for (unsigned round = 0; round < 3 && right; round++) {
		launch(module, "sums", BLOCK * sizeof(uint32_t), from, to);
		KT_CU(cuMemcpyDtoH, out, to, sizeof(out));
		right = sums_are_right();
		printf("sums %s\n", right ? "ok" : "wrong");
		launch(module, "permute", 0, from, to);
		KT_CU(cuMemcpyDtoH, out, to, sizeof(out));
		right = right && hashes_are_right();
		printf("permute %s\n", right ? "ok" : "wrong");
	}
	KT_CU(cuMemFree, from);
	KT_CU(cuMemFree, to);
	KT_CU(cuModuleUnload, module);
	kt_work_leave(device);
	return kt_work_end(right);
}
