/* SPDX-License-Identifier: MIT */
/*
 * Program points of a machine that words have covered. A state may stand for several points
 * with one letter; then a word that takes it covers all of them: where points cannot be
 * told apart by letters, they are covered together.
 */
#ifndef KTAIL_TESTS_TRUTH_COVERAGE_H
#define KTAIL_TESTS_TRUTH_COVERAGE_H

#include <stdio.h>

#include "tests/softgpu/truth/walk.h"

/* Prints, for people or as tab-separated lines, and counts what is left uncovered. */
int coverage_print(FILE *out, const struct walk *walk, bool tsv, size_t *uncovered);

/* Whether the point ("procedure:line: statement") gives this letter. */
bool coverage_gives(const char *point, const char *letter);

#endif
