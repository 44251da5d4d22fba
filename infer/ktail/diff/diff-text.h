/* SPDX-License-Identifier: MIT */
/* Writes a difference as text. */
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

/*
 * Returns the readable name of the letter with this number (see kt_compare_letter()), or
 * the letter itself if it has no readable name.
 */
const char *kt_diff_letter_name(const kt_diff *diff, uint32_t letter);

/*
 * Writes letters[0..n) with a blank before each. If any of them has a readable name, which
 * may contain blanks, semicolons separate them.
 */
void kt_diff_put_letters(struct kt_wrap *line, const kt_diff *diff, const uint32_t *letters,
			 size_t n);

struct kt_diff_report {
	const kt_diff *diff;                     /* Weak */
	const struct kt_diff_versions *versions; /* Weak */
	const struct kt_diff_reason *reason;     /* Weak */
	const struct kt_diff_seen *seen;         /* Weak */
	const struct kt_diff_shown *shown;       /* Weak */
	unsigned long most_words; /* maximum number of words shown per version */
	const struct kt_diff_meanings *meanings; /* Weak */
	const struct kt_diff_calls *calls;       /* Weak */
	const struct kt_changes *changes; /* Weak; NULL unless both sides are traces */
};

/* Returns the readable name of a letter, or `letter` if it has none. */
const char *kt_diff_name_of(const struct kt_diff_report *report, const char *letter);

/* Returns the colour of a line about one machine: red for old, green for new. */
static inline const char *kt_diff_version_color(FILE *out, int version)
{
	return version ? kt_colors_of(out)->green : kt_colors_of(out)->red;
}

/* Writes the whole text. `report` is a struct kt_diff_report; see kt_output_fn. */
int kt_diff_write_text(FILE *out, const void *report);

/* Writes one part of the text: what changed between repeated recordings of each version. */
void kt_diff_write_changes(FILE *out, const struct kt_diff_report *report);

/* Writes one part of the text: diverging transitions, and words that lead to them. */
int kt_diff_write_words(FILE *out, const struct kt_diff_report *report);

/*
 * Writes one part of the text: what software and which recording modes differ between the
 * two versions.
 */
void kt_diff_write_recorded(FILE *out, const struct kt_diff_report *report);

/*
 * Writes one part of the text: labels that only one machine has, and differences of API
 * calls.
 */
void kt_diff_write_meanings(FILE *out, const struct kt_diff_report *report);

/*
 * If the machine of a sequence is annotated, writes ": 'LABEL', 'LABEL'": the labels of the
 * transitions that read the sequence from the first state that can read it, with '?' for a
 * transition without a label.
 */
void kt_diff_write_sequence_labels(struct kt_wrap *line,
				   const struct kt_diff_report *report,
				   const struct kt_diff_sequence *sequence);

/*
 * Writes the difference as JSON, including "meanings". `report` is a struct kt_diff_report.
 */
int kt_diff_report_write_json(FILE *out, const void *report);

#endif
