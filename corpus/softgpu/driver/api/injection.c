/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "corpus/softgpu/driver/api/injection.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static bool begun; /* under the lock, which the library can come back through */
static pthread_mutex_t lock = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;

void kt_injection_load(void)
{
	const char *path = getenv("CUDA_INJECTION64_PATH");

	pthread_mutex_lock(&lock);
	if (!begun) {
		begun = true;
		if (path && *path) {
			void *library = dlopen(path, RTLD_NOW);
			void *symbol =
				library ? dlsym(library, "InitializeInjection") : NULL;
			int (*initialize)(void) = NULL;

			memcpy(&initialize, &symbol, sizeof(initialize));
			if (initialize) {
				(void)initialize();
			}
		}
	}
	pthread_mutex_unlock(&lock);
}
