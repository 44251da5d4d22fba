/* SPDX-License-Identifier: MIT */
#include "corpus/workloads/cuda-driver.h"

enum kt_library_load kt_cuda_load(struct kt_cuda *cuda, const char **reason)
{
#define KT_CUDA_NAME(field, symbol, parameters) symbol,
	static const char *const names[] = {KT_CUDA_FUNCTIONS(KT_CUDA_NAME)};
#undef KT_CUDA_NAME

	return kt_library_load("libcuda.so.1", names, sizeof(names) / sizeof(names[0]),
			       cuda, reason);
}
