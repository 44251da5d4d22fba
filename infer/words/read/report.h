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
	/* missing events, by sequence numbers, whether or not they give letters */
	uint64_t lost;
	uint64_t truncated; /* words whose beginning or end the trace does not have */
	size_t cut_files;
	size_t damaged_files;
	size_t stopped; /* traces that were not read to their end */
	uint64_t discarded_events;
	uint64_t discarded_packets;
};

/* Writes "ktail: warning: ..." for each kind of loss of the trace at `path`. */
void kt_trace_report_warn(FILE *out, const char *path,
			  const struct kt_trace_report *report);

void kt_trace_losses_add(struct kt_trace_losses *losses,
			 const struct kt_trace_report *report);
bool kt_trace_losses_any(const struct kt_trace_losses *losses);

/* Appends "N what, ..." to the string list[0..size) for all losses but truncated words. */
void kt_trace_losses_list(char *list, size_t size, const struct kt_trace_losses *losses);

/*
 * Writes a list of the trace's own losses to list[0..size), including processes whose
 * beginning or end was not recorded; "" if there is no loss.
 */
void kt_trace_report_losses(char *list, size_t size, const struct kt_trace_report *report);

/* Appends "1 one" or "N many" to the string list[0..size), separated by ", ", if n > 0. */
void kt_reason_add(char *list, size_t size, uint64_t n, const char *one, const char *many);

#endif
