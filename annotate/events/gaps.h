/* SPDX-License-Identifier: MIT */
/* Counts events and dwords missing from traces, for warnings and for --strict. */
#ifndef KTAIL_ANNOTATE_GAPS_H
#define KTAIL_ANNOTATE_GAPS_H

#include <stdint.h>
#include <stdio.h>

#include "annotate/events/submissions.h"
#include "infer/words/read/report.h"

/* Losses of all traces together. All zero: none. */
struct kt_gaps {
	struct kt_trace_losses losses;
	uint64_t cut;     /* beginnings and ends of processes that were not recorded */
	uint64_t missing; /* dwords that are missing for any reason or cannot be decoded */
	uint64_t rings;   /* rings that could not be read */
};

/* Adds the losses of the trace at `path`, with warnings on standard error. */
void kt_gaps_note(struct kt_gaps *gaps, const char *path,
		  const struct kt_trace_report *report);

/* Adds the missing dwords of the trace at `path`, with a warning on `warnings` unless it is
 * NULL. */
void kt_gaps_note_words(struct kt_gaps *gaps, const char *path,
			const struct kt_submission_totals *totals, FILE *warnings);

/* Appends the missing dwords and rings to a list of reasons, with kt_reason_add(). */
void kt_gaps_list_words(char *list, size_t size, const struct kt_gaps *gaps);

/*
 * Returns KT_E_LOSS with a message that lists all losses of the n > 0 traces, or KT_OK if
 * nothing was lost.
 */
int kt_gaps_judge(const struct kt_gaps *gaps, const char *const *paths, size_t n);

#endif
