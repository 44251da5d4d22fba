/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE /* stpcpy */
#include "infer/compare/reduce-run.h"

#include <stdlib.h>
#include <string.h>

int kt_reduce_no_memory(void)
{
	return kt_error(KT_E_MEMORY, "reduce letters: out of memory");
}

static int compare_names(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static void write_name(char *name, const char *const *sorted, size_t n)
{
	*name++ = '(';
	for (size_t i = 0; i < n; i++) {
		name = i ? stpcpy(name, "|") : name;
		name = stpcpy(name, sorted[i]);
	}
	memcpy(name, ")+", 3);
}

/* What is named twice is one letter. */
static size_t drop_equal(const char **sorted, size_t n)
{
	size_t kept = 0;

	for (size_t i = 0; i < n; i++) {
		if (kept == 0 || strcmp(sorted[kept - 1], sorted[i]) != 0) {
			sorted[kept++] = sorted[i];
		}
	}
	return kept;
}

int kt_reduce_name_run(char **out, const struct kt_reduction *reduction)
{
	size_t n = reduction->n;
	const char **sorted = calloc(n + 1, sizeof(*sorted));
	size_t size = 4;

	for (size_t i = 0; sorted && i < n; i++) {
		sorted[i] = reduction->letters[i];
		size += strlen(sorted[i]) + 1;
	}
	*out = sorted ? malloc(size) : NULL;
	if (*out) {
		qsort(sorted, n, sizeof(*sorted), compare_names);
		write_name(*out, sorted, drop_equal(sorted, n));
	}
	free(sorted);
	return *out ? KT_OK : kt_reduce_no_memory();
}

bool kt_reduce_is_among(const char *name, const char *run,
			const struct kt_reduction *reduction)
{
	for (size_t i = 0; i < reduction->n; i++) {
		if (strcmp(name, reduction->letters[i]) == 0) {
			return true;
		}
	}
	return !reduction->omit && strcmp(name, run) == 0;
}
