/* SPDX-License-Identifier: MIT */
/* Selects the content of a listing, and passes it to a printer. */
#ifndef KTAIL_ANNOTATE_SELECT_H
#define KTAIL_ANNOTATE_SELECT_H

#include "annotate/events/kernels.h"
#include "annotate/events/submissions.h"
#include "annotate/listing/in-calls.h"
#include "infer/words/split/trace-filter.h"

/*
 * Selects the submissions and methods that are shown. A member that is not set excludes
 * nothing.
 */
struct kt_selection {
	struct kt_trace_filter part; /* Owned by this */
	/* Weak: limits submissions to those in the calls that `part` selects; NULL: no
	 * limit */
	const struct kt_in_calls *in_calls;
	bool has_class;
	uint32_t
		class_number; /* class of the engine object that the method is written to */
	const char
		*method; /* Weak: name of the method, without an array index; NULL: any */
	bool has_offset;
	uint32_t offset; /* offset of the method in bytes */
};

/*
 * Prints submissions in some form. Members except `trace` may be NULL. `again` is true if a
 * part of the submission was printed already, followed by another submission. A selector
 * does not call `end`.
 */
struct kt_printer {
	void (*trace)(void *printer, const char *path);
	void (*submission)(void *printer, const struct kt_submission *submission,
			   bool again);
	void (*entry)(void *printer, const struct kt_submission *submission,
		      const struct kt_submitted_entry *entry);
	/*
	 * A header, at index `at` of the entry's dwords, before the methods of the header.
	 * If methods are selected, only headers of selected methods are passed; if not,
	 * headers without methods are passed, too.
	 */
	void (*header)(void *printer, const struct kt_submission *submission,
		       const struct kt_submitted_entry *entry, size_t at);
	/* `note`: what is known of the kernel of the method's command; NULL: nothing. */
	void (*method)(void *printer, const struct kt_submission *submission,
		       const struct kt_submitted_entry *entry,
		       const struct kt_decoded *decoded, const struct kt_kernel_note *note);
	void (*decoded)(void *printer, const struct kt_submission *submission,
			const struct kt_submitted_entry *entry,
			const struct kt_decode_counts *counts);
	void (*submission_end)(void *printer, const struct kt_submission *submission);
	void (*end)(void *printer, const struct kt_submission_totals *totals);
};

/* Context of kt_selector_visitor, which passes what is selected to a printer. */
struct kt_selector {
	const struct kt_selection *selection; /* Weak */
	const struct kt_printer *printer;     /* Weak */
	void *context;                        /* Weak: context of the printer */
	struct kt_kernels *kernels;           /* Weak: of the trace; NULL: not found */
	const char *path; /* Weak: path of the trace; NULL after `trace` was called */
	uint64_t last;    /* number of the last submission printed; 0: none */
	uint64_t shown;   /* number of submissions printed */
	bool entry_shown; /* the current entry was printed */
	/* Indexes of dwords in the current entry. */
	size_t next;        /* one past the last method */
	size_t header;      /* the next header to print */
	size_t headers_end; /* one past the header of the last method */
};

extern const struct kt_submission_visitor kt_selector_visitor;

#endif
