/* SPDX-License-Identifier: MIT */
/*
 * Replaces the allocation functions of a test program by functions that count allocations
 * and let one of them fail. Not for programs with sanitizers, which replace these
 * functions, too.
 */
#ifndef KTAIL_TESTS_REFUSE_H
#define KTAIL_TESTS_REFUSE_H

#include <stdbool.h>
#include <stddef.h>

struct kt_trial {
	const char *name;
	int (*work)(void *context); /* returns a status and frees what it allocated */
	void *context;
	/* jansson and libxml2 may report a failed allocation as a malformed file */
	bool inexact;
	long left; /* the most blocks that libraries themselves leak */
};

/*
 * Does the work once for each of its allocations, which then fails, and once without a
 * failure. Each time the work must succeed, or return KT_E_MEMORY with a message, and
 * leave nothing allocated. Returns the number of allocations; if the work behaves
 * otherwise, returns -1 and prints the reason to standard error.
 */
long kt_refuse_each(const struct kt_trial *trial);

/* malloc() that counts and never fails, for libraries that do not survive a failure. */
void *kt_allocate_always(size_t size);

#endif
