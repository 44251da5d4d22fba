/* SPDX-License-Identifier: MIT */
/* A difference as text for people. */
#ifndef KTAIL_DIFF_TEXT_H
#define KTAIL_DIFF_TEXT_H

#include <stdio.h>

#include "base/terminal.h"
#include "base/wrap.h"
#include "infer/ktail/diff/diff-calls.h"
#include "infer/ktail/diff/diff-explain.h"
#include "infer/ktail/diff/diff-meanings.h"
#include "infer/ktail/diff/diff-seen.h"

/* Of letters of kt_compare_letter(): what a person reads. */
const char *kt_diff_letter_name(const kt_diff *diff, uint32_t letter);

/* Letters that follow each other, a blank before each; names, which may hold blanks, are
 * told apart by semicolons. */
void kt_diff_put_letters(struct kt_wrap *line, const kt_diff *diff, const uint32_t *letters,
			 size_t n);

struct kt_diff_report {
	const kt_diff *diff;                     /* Weak */
	const struct kt_diff_versions *versions; /* Weak */
	const struct kt_diff_reason *reason;     /* Weak */
	const struct kt_diff_seen *seen;         /* Weak */
	unsigned long most_words;                /* shown of each side */
	const struct kt_diff_meanings *meanings; /* Weak */
	const struct kt_diff_calls *calls;       /* Weak */
};

/* Of a line about one machine: what is old is red, what is new is green. */
static inline const char *kt_diff_side_color(FILE *out, int version)
{
	return version ? kt_colors_of(out)->green : kt_colors_of(out)->red;
}

/* `report` is a struct kt_diff_report; see kt_output_fn. */
int kt_diff_write_text(FILE *out, const void *report);

/* A part of it: the words that show a difference. */
int kt_diff_write_words(FILE *out, const struct kt_diff_report *report);

/* Another: labels that one machine alone has, and what calls of the API do otherwise. */
void kt_diff_write_meanings(FILE *out, const struct kt_diff_report *report);

/*
 * What a sequence of letters means, " ('LABEL', 'LABEL')", where the machine that has it
 * says it: by the first of the states from which it can be read.
 */
void kt_diff_write_sequence_labels(struct kt_wrap *line,
				   const struct kt_diff_report *report,
				   const struct kt_diff_sequence *sequence);

/* The difference as JSON, with "meanings". `report` as above. */
int kt_diff_report_write_json(FILE *out, const void *report);

#endif
