/* SPDX-License-Identifier: MIT */
/* What of a trace is shown, and who shows it. */
#ifndef KTAIL_ANNOTATE_SELECT_H
#define KTAIL_ANNOTATE_SELECT_H

#include "annotate/events/selection.h"
#include "annotate/events/submissions.h"

/*
 * Shows submissions in some form. Members may be NULL. `again`: another process's came in
 * between.
 */
struct kt_printer {
	void (*trace)(void *printer, const char *path);
	void (*submission)(void *printer, const struct kt_submission *submission,
			   bool again);
	void (*entry)(void *printer, const struct kt_submission *submission,
		      const struct kt_submitted_entry *entry);
	void (*method)(void *printer, const struct kt_submission *submission,
		       const struct kt_submitted_entry *entry,
		       const struct kt_decoded *decoded);
	void (*decoded)(void *printer, const struct kt_submission *submission,
			const struct kt_submitted_entry *entry,
			const struct kt_decode_counts *counts);
	void (*submission_end)(void *printer, const struct kt_submission *submission);
	void (*end)(void *printer, const struct kt_submission_totals *totals);
};

/* The visitor of kt_submissions_read() that shows what is selected. */
struct kt_selector {
	const struct kt_selection *selection; /* Weak */
	const struct kt_printer *printer;     /* Weak */
	void *context;                        /* Weak: the printer's */
	const char *path; /* Weak: of the trace; NULL once it was shown */
	uint64_t last;    /* number of the submission shown last; 0: none */
	uint64_t shown;   /* submissions, so far */
	bool entry_shown;
};

extern const struct kt_submission_visitor kt_selector_visitor;

#endif
