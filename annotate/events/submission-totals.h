/* SPDX-License-Identifier: MIT */
/* How submissions.c adds up what a trace held. */
#ifndef KTAIL_ANNOTATE_SUBMISSION_TOTALS_H
#define KTAIL_ANNOTATE_SUBMISSION_TOTALS_H

#include "annotate/events/submissions.h"

/* *segment: what a channel's decoder counted between `before` and `after`; kinds left out.
 */
void kt_submission_totals_decoded(struct kt_submission_totals *totals,
				  struct kt_decode_counts *segment,
				  const struct kt_decode_counts *before,
				  const struct kt_decode_counts *after);

/* An entry with words that could not be read. */
int kt_submission_totals_unread(struct kt_submission_totals *totals,
				const struct kt_submitted_entry *entry);

/*
 * Whether all that was submitted is in the trace, and decoded, as far as it shows. If not,
 * what of the trace itself is missing is in lacks[0..size), else "".
 */
bool kt_submission_totals_are_whole(const struct kt_submission_totals *totals, char *lacks,
				    size_t size);

#endif
