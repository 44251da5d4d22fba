/* SPDX-License-Identifier: MIT */
#include "raw/channel/cuda.h"

#include <dlfcn.h>
#include <string.h>

#include <ktail/status.h>

int kt_raw_cuda_load(struct kt_raw_cuda *out, const char *library)
{
	static const struct {
		const char *symbol;
		size_t at;
	} functions[] = {
#define ROW(field, symbol, parameters) {symbol, offsetof(struct kt_raw_cuda, field)},
		KT_RAW_CUDA(ROW)
#undef ROW
	};

	*out = (struct kt_raw_cuda){.library = dlopen(library, RTLD_NOW | RTLD_LOCAL)};
	if (!out->library) {
		return kt_error(KT_E_IO, "load %s: %s", library, dlerror());
	}
	for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++) {
		void *function = dlsym(out->library, functions[i].symbol);

		if (!function) {
			return kt_error(KT_E_IO, "load %s: no function %s", library,
					functions[i].symbol);
		}
		memcpy((char *)out + functions[i].at, &function, sizeof(function));
	}
	return KT_OK;
}

int kt_raw_cuda_check(const struct kt_raw_cuda *cuda, int result, const char *what)
{
	const char *name = NULL;

	if (result == 0) {
		return KT_OK;
	}
	if (cuda->cuGetErrorName(result, &name) != 0 || !name) {
		name = "unknown error";
	}
	return kt_error(KT_E_IO, "%s: %s (%d)", what, name, result);
}
