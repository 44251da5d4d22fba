/* SPDX-License-Identifier: MIT */
/*
 * A slow reading of program points: run them statement by statement, every choice tried,
 * keep the list of what happened, and form its word afterwards. Shares nothing with
 * make-truth but the parser.
 */
#ifndef KTAIL_TESTS_TRUTH_ORACLE_H
#define KTAIL_TESTS_TRUTH_ORACLE_H

#include <stddef.h>

#include "corpus/softgpu/truth/points.h"

/* Distinct texts. */
struct texts {
	char **list; /* Owned by this */
	size_t n;
	size_t capacity;
};

void texts_free(struct texts *texts);
/* Adds a copy; whether it is new. */
bool texts_add(struct texts *texts, const char *text);

/* All words of at most n letters, each letter followed by a space. */
void oracle_words(struct texts *out, const struct kt_points *points, size_t n);

#endif
