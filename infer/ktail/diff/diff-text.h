/* SPDX-License-Identifier: MIT */
/* A difference as text for people. */
#ifndef KTAIL_DIFF_TEXT_H
#define KTAIL_DIFF_TEXT_H

#include <stdio.h>

#include "base/terminal.h"
#include "base/wrap.h"
#include "infer/changes/changes.h"
#include "infer/ktail/diff/diff-calls.h"
#include "infer/ktail/diff/diff-explain.h"
#include "infer/ktail/diff/diff-meanings.h"
#include "infer/ktail/diff/diff-seen.h"
#include "infer/ktail/diff/diff-shown.h"

/* Returns the readable name of a letter of kt_compare_letter(). */
const char *kt_diff_letter_name(const kt_diff *diff, uint32_t letter);

/*
 * Writes consecutive letters with a blank before each; names, which may contain blanks, are
 * separated by semicolons.
 */
void kt_diff_put_letters(struct kt_wrap *line, const kt_diff *diff, const uint32_t *letters,
			 size_t n);

struct kt_diff_report {
	const kt_diff *diff;                     /* Weak */
	const struct kt_diff_versions *versions; /* Weak */
	const struct kt_diff_reason *reason;     /* Weak */
	const struct kt_diff_seen *seen;         /* Weak */
	const struct kt_diff_shown *shown;       /* Weak */
	unsigned long most_words;                /* number shown per version */
	const struct kt_diff_meanings *meanings; /* Weak */
	const struct kt_diff_calls *calls;       /* Weak */
	const struct kt_changes *changes; /* Weak; NULL unless both sides are traces */
};

/* Returns the readable name of a letter, or the letter if it has none. */
const char *kt_diff_name_of(const struct kt_diff_report *report, const char *letter);

/* Returns the colour of a line about one machine: red for old, green for new. */
static inline const char *kt_diff_version_color(FILE *out, int version)
{
	return version ? kt_colors_of(out)->green : kt_colors_of(out)->red;
}

/* `report` is a struct kt_diff_report; see kt_output_fn. */
int kt_diff_write_text(FILE *out, const void *report);

/* Writes one part of the text: what changed between repeated recordings. */
void kt_diff_write_changes(FILE *out, const struct kt_diff_report *report);

/* Writes one part of the text: diverging transitions, and words that lead to them. */
int kt_diff_write_words(FILE *out, const struct kt_diff_report *report);

/* Writes one part of the text: what the two sides were recorded with, as far as it is
 * known. */
void kt_diff_write_recorded(FILE *out, const struct kt_diff_report *report);

/*
 * Writes one part of the text: labels that only one machine has, and differences of API
 * calls.
 */
void kt_diff_write_meanings(FILE *out, const struct kt_diff_report *report);

/*
 * If the machine of a sequence is annotated, writes the meaning of the letters as "
 * ('LABEL', 'LABEL')". The labels are those on the way from the first state that can read
 * the sequence.
 */
void kt_diff_write_sequence_labels(struct kt_wrap *line,
				   const struct kt_diff_report *report,
				   const struct kt_diff_sequence *sequence);

/* Writes the difference as JSON, with "meanings". `report` is a struct kt_diff_report. */
int kt_diff_report_write_json(FILE *out, const void *report);

#endif
