/* SPDX-License-Identifier: MIT */
/*
 * A slow evaluation of program points: executes them statement by statement with every
 * possible choice, stores the events, and forms their word afterwards. It shares only the
 * parser with make-truth.
 */
#ifndef KTAIL_TESTS_TRUTH_ORACLE_H
#define KTAIL_TESTS_TRUTH_ORACLE_H

#include <stddef.h>

#include "corpus/softgpu/truth/points.h"

/* A set of strings. */
struct texts {
	char **list; /* owned, as are the strings */
	size_t n;
	size_t capacity;
};

void texts_free(struct texts *texts);
/* Adds a copy of the string. Returns whether the string is new. */
bool texts_add(struct texts *texts, const char *text);

/*
 * Collects all words of at most n letters. Each letter is followed by a space. In letters of
 * roles it collects all beginnings of words of finished executions, so the points must have
 * no loops and `n` has no effect.
 */
void oracle_words(struct texts *out, const struct kt_points *points, size_t n);

#endif
