/* SPDX-License-Identifier: MIT */
#include "base/path-list.h"

#include <stdio.h>
#include <string.h>

void kt_path_list_name(char *out, size_t size, const char *const *paths, size_t n)
{
	const char *first = strcmp(paths[0], "-") == 0 ? "standard input" : paths[0];

	if (n > 1) {
		snprintf(out, size, "%s and %zu more", first, n - 1);
	} else {
		snprintf(out, size, "%s", first);
	}
}
