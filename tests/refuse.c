/* SPDX-License-Identifier: MIT */
#include "tests/refuse.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ktail/status.h>

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t n, size_t size);
void *__libc_realloc(void *memory, size_t size);
void __libc_free(void *memory);

KT_EXPORT void *malloc(size_t size);
KT_EXPORT void *calloc(size_t n, size_t size);
KT_EXPORT void *realloc(void *memory, size_t size);
KT_EXPORT void free(void *memory);

static long until_failure = -1; /* how many more allocations succeed; negative: all */
static long live;
static bool failed;

static bool refuse(void)
{
	if (until_failure == 0) {
		failed = true;
		until_failure = -1;
		errno = ENOMEM;
		return true;
	}
	until_failure -= until_failure > 0;
	return false;
}

void *malloc(size_t size)
{
	return refuse() ? NULL : kt_allocate_always(size);
}

void *calloc(size_t n, size_t size)
{
	void *memory = refuse() ? NULL : __libc_calloc(n, size);

	live += memory != NULL;
	return memory;
}

void *realloc(void *memory, size_t size)
{
	void *grown = refuse() ? NULL : __libc_realloc(memory, size);

	live += !memory && grown;
	return grown;
}

void free(void *memory)
{
	live -= memory != NULL;
	__libc_free(memory);
}

void *kt_allocate_always(size_t size)
{
	void *memory = __libc_malloc(size);

	live += memory != NULL;
	return memory;
}

/* A failed allocation need not be an error: qsort() and streams work without the memory. */
static bool is_reported(const struct kt_trial *trial, int code)
{
	if (code == KT_OK) {
		return true;
	}
	if (code == KT_E_MEMORY) {
		return failed && strstr(kt_error_message(), "out of memory");
	}
	return failed && trial->inexact && code == KT_E_MALFORMED;
}

long kt_refuse_each(const struct kt_trial *trial)
{
	for (long n = 0;; n++) {
		long before = live;
		int code;

		failed = false;
		until_failure = n;
		code = trial->work(trial->context);
		until_failure = -1;
		if (!is_reported(trial, code) || labs(live - before) > trial->left) {
			fprintf(stderr, "%s, allocation %ld: %d, %s; %ld left\n",
				trial->name, n, code, kt_error_message(), live - before);
			return -1;
		}
		if (!failed) {
			printf("%s: %ld allocations\n", trial->name, n);
			return n;
		}
	}
}
