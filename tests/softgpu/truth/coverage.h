/* SPDX-License-Identifier: MIT */
/*
 * Coverage of a machine's program points by words. A state may stand for several points
 * with one letter; a word that takes it covers all of them, since the letters do not
 * distinguish these points.
 */
#ifndef KTAIL_TESTS_TRUTH_COVERAGE_H
#define KTAIL_TESTS_TRUTH_COVERAGE_H

#include <stdio.h>

#include "tests/softgpu/truth/walk.h"

/*
 * Prints the coverage, for people or as tab-separated lines, and counts uncovered points.
 */
int coverage_print(FILE *out, const struct walk *walk, bool tsv, size_t *uncovered);

/* Returns whether the point ("procedure:line: statement") yields this letter. */
bool coverage_gives(const char *point, const char *letter);

#endif
