/* SPDX-License-Identifier: MIT */
/*
 * The allocation functions of a test program that links this: they count, and one of them
 * refuses. Sanitizers bring their own, so it is not for them.
 */
#ifndef KTAIL_TESTS_REFUSE_H
#define KTAIL_TESTS_REFUSE_H

#include <stdbool.h>
#include <stddef.h>

struct kt_trial {
	const char *name;
	int (*work)(void *context); /* gives a status, and leaves nothing */
	void *context;
	bool inexact; /* jansson and libxml2 may call a lack of memory a malformed file */
	long left;    /* the most blocks that libraries themselves leak */
};

/*
 * Does the work once for each allocation in it, which is refused, until there is none to
 * refuse. Each time it is done, or fails with KT_E_MEMORY and says so; nothing is left.
 * Gives the number of allocations; -1, and why on standard error, if it was not so.
 */
long kt_refuse_each(const struct kt_trial *trial);

/* malloc() that is counted and never refuses, for libraries that do not survive it. */
void *kt_allocate_always(size_t size);

#endif
