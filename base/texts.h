/* SPDX-License-Identifier: MIT */
/* A set of texts, each kept once, with a number. */
#ifndef KTAIL_BASE_TEXTS_H
#define KTAIL_BASE_TEXTS_H

#include <stddef.h>
#include <stdint.h>

#include "base/hash-index.h"

/* All zero: none. */
struct kt_texts {
	char **items; /* Owned by this, each as well: by number */
	size_t n;
	size_t capacity;
	struct kt_hash_index index; /* numbers, by text */
};

/*
 * The number of a text, from 0 in order of first appearance; its copy stays where it is as
 * long as the set. KT_E_MEMORY with a message. O(length), expected.
 */
int kt_texts_add(struct kt_texts *texts, const char *text, uint32_t *number);

/* The copy itself: equal texts give the same pointer. NULL: out of memory, with a message.
 */
const char *kt_texts_keep(struct kt_texts *texts, const char *text);

/* The same, made printable first. */
int kt_texts_printable(struct kt_texts *texts, const char *text, const char **out);

void kt_texts_free(struct kt_texts *texts);

#endif
