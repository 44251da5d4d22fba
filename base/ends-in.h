/* SPDX-License-Identifier: MIT */
#ifndef KTAIL_BASE_ENDS_IN_H
#define KTAIL_BASE_ENDS_IN_H

#include <stdbool.h>
#include <string.h>

/* Returns whether a text ends in `ending`, or equals it. */
static inline bool kt_ends_in(const char *text, const char *ending)
{
	const size_t n = strlen(text);
	const size_t m = strlen(ending);

	return n >= m && strcmp(text + n - m, ending) == 0;
}

#endif
