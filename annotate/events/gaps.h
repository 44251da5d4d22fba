/* SPDX-License-Identifier: MIT */
/* What traces lack, said on standard error as they are read, and judged by --strict. */
#ifndef KTAIL_ANNOTATE_GAPS_H
#define KTAIL_ANNOTATE_GAPS_H

#include <stdint.h>
#include <stdio.h>

#include "annotate/events/submissions.h"
#include "infer/words/read/report.h"

/* What all traces together lack. All zero: nothing. */
struct kt_gaps {
	struct kt_trace_losses losses;
	uint64_t cut;     /* processes whose beginning or end was not recorded */
	uint64_t missing; /* words, whatever the reason */
	uint64_t rings;   /* that could not be read */
};

/* What is missing of the trace at `path` itself. */
void kt_gaps_note(struct kt_gaps *gaps, const char *path,
		  const struct kt_trace_report *report);

/* What is missing of its words, said on `warnings`. */
void kt_gaps_note_words(struct kt_gaps *gaps, const char *path,
			const struct kt_submission_totals *totals, FILE *warnings);

/* Adds what is missing of words to a list of reasons: kt_reason_add(). */
void kt_gaps_list_words(char *list, size_t size, const struct kt_gaps *gaps);

/* KT_E_LOSS with a message that names all, or 0 if nothing is missing of the n > 0 traces.
 */
int kt_gaps_judge(const struct kt_gaps *gaps, const char *const *paths, size_t n);

#endif
