/* SPDX-License-Identifier: MIT */
#include "corpus/workloads/cuda-driver.h"

#include <dlfcn.h>
#include <string.h>

static const struct {
	const char *symbol;
	size_t offset;
} functions[] = {
#define KT_CUDA_ROW(field, symbol, parameters) {symbol, offsetof(struct kt_cuda, field)},
	KT_CUDA_FUNCTIONS(KT_CUDA_ROW)
#undef KT_CUDA_ROW
};

enum kt_cuda_load kt_cuda_load(struct kt_cuda *cuda, const char **reason)
{
	void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);

	if (!library) {
		*reason = dlerror();
		return KT_CUDA_NO_LIBRARY;
	}
	for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++) {
		void *address = dlsym(library, functions[i].symbol);

		if (!address) {
			*reason = functions[i].symbol;
			return KT_CUDA_NO_SYMBOL;
		}
		/* ISO C has no cast from an object pointer to a function pointer. */
		memcpy((char *)cuda + functions[i].offset, &address, sizeof(address));
	}
	return KT_CUDA_LOADED;
}
