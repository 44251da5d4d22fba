/* SPDX-License-Identifier: MIT */
/* What is said on standard error about traces that lack something. */
#ifndef KTAIL_WORDS_REPORT_H
#define KTAIL_WORDS_REPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "infer/words/read/trace.h"

/* What several traces lack, all together. */
struct kt_trace_losses {
	uint64_t lost; /* by sequence numbers, in words or not */
	size_t cut_files;
	size_t damaged_files;
	size_t stopped; /* traces that could not be read to their end */
	uint64_t discarded_events;
	uint64_t discarded_packets;
};

/* Writes "ktail: warning: ..." for each thing that the trace at `path` lacks. */
void kt_trace_report_warn(FILE *out, const char *path,
			  const struct kt_trace_report *report);

void kt_trace_losses_add(struct kt_trace_losses *losses,
			 const struct kt_trace_report *report);
bool kt_trace_losses_any(const struct kt_trace_losses *losses);

/* Appends "N what, ..." to a list in list[0..size) for all that is lacking. */
void kt_trace_losses_list(char *list, size_t size, const struct kt_trace_losses *losses);

/*
 * Writes such a list to list[0..size): what of the trace itself is missing, processes whose
 * beginning or end was not recorded as well; "" if nothing is.
 */
void kt_trace_report_losses(char *list, size_t size, const struct kt_trace_report *report);

/* Appends "N what" to such a list, unless there is none of it. */
void kt_reason_add(char *list, size_t size, uint64_t n, const char *what);

#endif
