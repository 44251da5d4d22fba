/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "collect/record/own-libraries.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <ktail/status.h>

int kt_own_library_find(char path[static PATH_MAX], const char *name, const char *what)
{
	static const char *const places[] = {("../" KTAIL_LIBDIR "/ktail"),
					     ("../" KTAIL_LIBDIR), "../lib", "."};
	char self[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);

	self[n > 0 ? n : 0] = '\0';
	if (strrchr(self, '/')) {
		*strrchr(self, '/') = '\0';
	}
	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		char candidate[2 * PATH_MAX];

		snprintf(candidate, sizeof(candidate), "%s/%s/%s", self, places[i], name);
		if (!realpath(candidate, path)) {
			continue;
		}
		if (strpbrk(path, " :;")) {
			return kt_error(KT_E_IO,
					"%s %s: the loader takes no path with a blank, "
					"colon or semicolon; move it",
					what, path);
		}
		return KT_OK;
	}
	return kt_error(KT_E_IO, "%s %s: it is not in %s/../lib", what, name, self);
}

void kt_own_library_put_first(const char *variable, const char *path)
{
	const char *others = getenv(variable);
	size_t length = strlen(path);
	char *list;

	if (!others || !others[0]) {
		setenv(variable, path, 1);
		return;
	}
	if (strncmp(others, path, length) == 0 &&
	    (others[length] == ':' || others[length] == '\0')) {
		return;
	}
	if (asprintf(&list, "%s:%s", path, others) > 0) {
		setenv(variable, list, 1);
		free(list);
	} else {
		setenv(variable, path, 1);
	}
}
