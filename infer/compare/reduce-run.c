/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE /* stpcpy */
#include "infer/compare/reduce-run.h"

#include <stdlib.h>
#include <string.h>

static int compare_names(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

int kt_reduce_name_run(char **out, const struct kt_reduction *reduction)
{
	size_t n = reduction->n;
	const char **sorted = calloc(n + 1, sizeof(*sorted));
	size_t size = 4;
	char *end;

	for (size_t i = 0; sorted && i < n; i++) {
		sorted[i] = reduction->letters[i];
		size += strlen(sorted[i]) + 1;
	}
	*out = sorted ? malloc(size) : NULL;
	if (!*out) {
		free(sorted);
		return kt_no_memory("reduce letters");
	}
	qsort(sorted, n, sizeof(*sorted), compare_names);
	end = stpcpy(*out, "(");
	for (size_t i = 0; i < n; i++) {
		/* What is named twice is one letter. */
		if (i == 0 || strcmp(sorted[i - 1], sorted[i]) != 0) {
			end = i ? stpcpy(end, "|") : end;
			end = stpcpy(end, sorted[i]);
		}
	}
	memcpy(end, ")+", 3);
	free(sorted);
	return KT_OK;
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
