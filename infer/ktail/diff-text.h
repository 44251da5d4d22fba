/* SPDX-License-Identifier: MIT */
/* A difference as text for people. */
#ifndef KTAIL_DIFF_TEXT_H
#define KTAIL_DIFF_TEXT_H

#include <stdio.h>

#include "infer/ktail/diff-explain.h"
#include "infer/ktail/diff-seen.h"

struct kt_diff_report {
	const kt_diff *diff;                 /* Weak */
	const struct kt_diff_sides *sides;   /* Weak */
	const struct kt_diff_reason *reason; /* Weak */
	const struct kt_diff_seen *seen;     /* Weak */
	unsigned long most_words;            /* shown of each side */
};

/* `report` is a struct kt_diff_report; see kt_output_fn. */
int kt_diff_write_text(FILE *out, const void *report);

/* A part of it: the words that show a difference. */
int kt_diff_write_words(FILE *out, const struct kt_diff_report *report);

#endif
