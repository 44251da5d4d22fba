/* SPDX-License-Identifier: MIT */
/*
 * Coverage of a machine's program points by words. A state may stand for several points
 * that yield the same letter. A word that takes this letter covers all points that yield
 * it, because letters do not distinguish them.
 */
#ifndef KTAIL_TESTS_TRUTH_COVERAGE_H
#define KTAIL_TESTS_TRUTH_COVERAGE_H

#include <stdio.h>

#include "tests/softgpu/truth/walk.h"

/*
 * Prints the coverage for people, or as tab-separated lines if `tsv`, and counts the
 * uncovered points. Returns 0 or an error code.
 */
int coverage_print(FILE *out, const struct walk *walk, bool tsv, size_t *uncovered);

/* Returns whether the point ("procedure:line: statement") yields this letter. */
bool coverage_gives(const char *point, const char *letter);

#endif
