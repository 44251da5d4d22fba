/* SPDX-License-Identifier: MIT */
#include "corpus/workloads/library.h"

#include <dlfcn.h>
#include <string.h>

enum kt_library_load kt_library_load(const char *library, const char *const *names,
				     size_t n, void *functions, const char **reason)
{
	void *handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);

	if (!handle) {
		*reason = dlerror();
		return KT_LIBRARY_ABSENT;
	}
	for (size_t i = 0; i < n; i++) {
		void *address = dlsym(handle, names[i]);

		if (!address) {
			*reason = names[i];
			return KT_LIBRARY_NO_SYMBOL;
		}
		/* ISO C has no cast from an object pointer to a function pointer. */
		memcpy((char *)functions + i * sizeof(address), &address, sizeof(address));
	}
	return KT_LIBRARY_LOADED;
}
