/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "base/path-list.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *kt_path_name(const char *path)
{
	return strcmp(path, "-") == 0 ? "standard input" : path;
}

/*
 * Returns the absolute path of the folder of `path`, or NULL on failure; the caller frees it.
 * Sets *last to the last part of `path`.
 */
static char *split(const char *path, const char **last)
{
	const char *slash = strrchr(path, '/');
	char *folder = !slash          ? strdup(".")
		       : slash == path ? strdup("/")
				       : strndup(path, (size_t)(slash - path));
	char *real = folder ? realpath(folder, NULL) : NULL;

	*last = slash ? slash + 1 : path;
	free(folder);
	return real;
}

bool kt_path_same(const char *a, const char *b)
{
	const char *last[2];
	const bool standard = strcmp(a, "-") == 0 || strcmp(b, "-") == 0;
	char *folder[2] = {split(a, &last[0]), split(b, &last[1])};
	bool same = strcmp(a, b) == 0 ||
		    (!standard && folder[0] && folder[1] &&
		     strcmp(folder[0], folder[1]) == 0 && strcmp(last[0], last[1]) == 0);

	free(folder[0]);
	free(folder[1]);
	return same;
}

void kt_path_list_name(char *out, size_t size, const char *const *paths, size_t n)
{
	const char *first = kt_path_name(paths[0]);

	if (n > 1) {
		snprintf(out, size, "%s and %zu more", first, n - 1);
	} else {
		snprintf(out, size, "%s", first);
	}
}
