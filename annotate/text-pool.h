/* SPDX-License-Identifier: MIT */
/* Texts that are kept once each: names of processes, calls, kinds of work. */
#ifndef KTAIL_ANNOTATE_TEXT_POOL_H
#define KTAIL_ANNOTATE_TEXT_POOL_H

#include <stddef.h>

#include "annotate/number-map.h"

/* All zero: empty. Free with kt_text_pool_free(). */
struct kt_text_pool {
	char **texts; /* Owned by this, each as well */
	size_t n;
	size_t capacity;
	struct kt_number_map by_hash;
};

/*
 * The pool's own copy of a text: equal texts give the same pointer, which lives as long as
 * the pool. NULL: out of memory, with a message. O(length), expected.
 */
const char *kt_text_pool_keep(struct kt_text_pool *pool, const char *text);

void kt_text_pool_free(struct kt_text_pool *pool);

#endif
