/* SPDX-License-Identifier: MIT */
/* Builds machines from program points given as text, for the tests. */
#ifndef KTAIL_TESTS_TRUTH_FROM_TEXT_H
#define KTAIL_TESTS_TRUTH_FROM_TEXT_H

#include <string.h>

#include "corpus/softgpu/truth/points.h"

/*
 * Returns the machine of the text in letters of that alphabet, or NULL after an error,
 * whose message is set. `set` is "setting=value"; NULL: the default settings.
 */
static inline struct kt_fsm *truth_in_letters(const char *text, const char *set,
					      const char *alphabet)
{
	struct kt_points *points = NULL;
	struct kt_fsm *fsm = NULL;
	int code = kt_points_parse(&points, "x.points", text, strlen(text));

	code = !code && set ? kt_points_set(points, set) : code;
	code = code ? code : kt_points_set_alphabet(points, alphabet);
	if (!code && kt_truth_make(&fsm, points) != 0) {
		fsm = NULL;
	}
	kt_points_free(points);
	return fsm;
}

static inline struct kt_fsm *truth_from_text(const char *text, const char *set)
{
	return truth_in_letters(text, set, "table1");
}

#endif
