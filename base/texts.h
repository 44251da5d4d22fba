/* SPDX-License-Identifier: MIT */
/* A set of texts. Each text is stored once and has a number. */
#ifndef KTAIL_BASE_TEXTS_H
#define KTAIL_BASE_TEXTS_H

#include <stddef.h>
#include <stdint.h>

#include "base/hash-index.h"

/* A zeroed set is empty. */
struct kt_texts {
	char **items; /* Owned by this, as is each text; indexed by the number of a text */
	size_t n;
	size_t capacity;
	struct kt_hash_index index; /* from the hash of a text to its number */
};

/*
 * Adds a copy of a text unless the set contains the text already, and sets *number to the
 * number of the text. Texts are numbered from 0 in the order in which they are added. The
 * copy is valid until kt_texts_free(). KT_E_MEMORY with a message. Expected O(length).
 */
int kt_texts_add(struct kt_texts *texts, const char *text, uint32_t *number);

/*
 * Like kt_texts_add(), but returns the copy; equal texts give the same pointer. Returns
 * NULL, with a message, if out of memory.
 */
const char *kt_texts_keep(struct kt_texts *texts, const char *text);

/*
 * Like kt_texts_keep(), but replaces each unprintable byte by '?' first. Sets *out to the
 * copy, or NULL on failure. KT_E_MEMORY with a message.
 */
int kt_texts_printable(struct kt_texts *texts, const char *text, const char **out);

void kt_texts_free(struct kt_texts *texts);

#endif
