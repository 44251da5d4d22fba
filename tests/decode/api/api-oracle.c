/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "tests/decode/api/api-oracle.h"

#include <stdio.h>
#include <string.h>

#define LONGEST 200

static const struct kt_api_function *row_named(const char *name)
{
	for (size_t i = 0; i < kt_api_functions(); i++) {
		if (strcmp(kt_api_function_at(i)->name, name) == 0) {
			return kt_api_function_at(i);
		}
	}
	return NULL;
}

/* Returns whether the text is "_v" followed by digits. */
static int is_version(const char *text)
{
	size_t n = strlen(text);

	return n > 2 && memcmp(text, "_v", 2) == 0 &&
	       strspn(text + 2, "0123456789") == n - 2;
}

/*
 * Removes the suffix that begins with the last underscore, and appends a version to
 * found[]. Returns 0 if the suffix is unknown.
 */
static int take_off(char *name, char found[2][LONGEST + 1], int *n)
{
	char *part = strrchr(name, '_');

	if (!part) {
		return 0;
	}
	if (is_version(part) && *n < 2) {
		strcpy(found[(*n)++], part);
	} else if (part == name ||
		   (strcmp(part, "_ptsz") != 0 && strcmp(part, "_ptds") != 0)) {
		return 0;
	}
	*part = '\0';
	return 1;
}

const struct kt_api_function *api_oracle_find(const char *name)
{
	char found[2][LONGEST + 1];
	char base[LONGEST + 1];
	char whole[4 * LONGEST];
	int n = 0;

	snprintf(base, sizeof(base), "%s", name);
	while (take_off(base, found, &n)) {
	}
	for (int i = 0; i < n; i++) {
		snprintf(whole, sizeof(whole), "%s%s", base, found[i]);
		if (row_named(whole)) {
			return row_named(whole);
		}
	}
	return row_named(base);
}
