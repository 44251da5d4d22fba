/* SPDX-License-Identifier: MIT */
/* Warnings on standard error about incomplete traces. */
#ifndef KTAIL_WORDS_REPORT_H
#define KTAIL_WORDS_REPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "infer/words/read/trace.h"

/* Total losses of several traces. */
struct kt_trace_losses {
	/*
	 * events that are missing according to sequence numbers, whether or not they would
	 * give letters
	 */
	uint64_t lost;
	uint64_t truncated; /* words whose beginning or end is missing from the trace */
	size_t cut_files;
	size_t damaged_files;
	size_t stopped; /* traces that were not read to their end */
	uint64_t discarded_events;
	uint64_t discarded_packets;
	/* No losses: */
	size_t traces;
	size_t without_roles; /* traces that do not name the roles of accesses */
};

/* Writes one line "ktail: warning: ..." per kind of loss of the trace at `path`. */
void kt_trace_report_warn(FILE *out, const char *path,
			  const struct kt_trace_report *report);

/* Writes a note if, with the alphabet `roles`, traces do not name the roles of accesses. */
void kt_trace_losses_note(FILE *out, const struct kt_trace_losses *losses);

void kt_trace_losses_add(struct kt_trace_losses *losses,
			 const struct kt_trace_report *report);
bool kt_trace_losses_any(const struct kt_trace_losses *losses);

/*
 * Appends a list "N what, N what, ..." of all losses, except truncated words, to the string
 * list[0..size).
 */
void kt_trace_losses_list(char *list, size_t size, const struct kt_trace_losses *losses);

/*
 * Writes a list of the losses of one trace to list[0..size), including the number of
 * processes whose beginning or end was not recorded; "" if there is no loss.
 */
void kt_trace_report_losses(char *list, size_t size, const struct kt_trace_report *report);

/*
 * If n > 0, appends "1 ONE" or "N MANY" to the string list[0..size), after ", " if the
 * string is not empty.
 */
void kt_reason_add(char *list, size_t size, uint64_t n, const char *one, const char *many);

#endif
