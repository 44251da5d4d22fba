/* SPDX-License-Identifier: MIT */
#include "base/path-list.h"

#include <stdio.h>
#include <string.h>

const char *kt_path_name(const char *path)
{
	return strcmp(path, "-") == 0 ? "standard input" : path;
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
