/* SPDX-License-Identifier: MIT */
/*
 * The summary of ktail record on standard error: the numbers of recorded and lost events
 * and of doorbells, all counters with --verbose, a warning for each loss and each mode that
 * was not available, and the next command. With --quiet, only warnings of losses.
 */
#ifndef KTAIL_COLLECT_SUMMARY_H
#define KTAIL_COLLECT_SUMMARY_H

#include "collect/preload/process/counters.h"
#include "collect/record/supervisor.h"
#include "collect/record/own-libraries.h"
#include "collect/record/record-options.h"

struct kt_record_trace {
	const char *path;                 /* Weak: as given by the user */
	const struct kt_softgpu *softgpu; /* Weak; NULL: recorded on hardware */
};

/* Prints the summary of user-space events, which the recorder in the programs counted. */
void kt_summary_print(const struct kt_record_options *options,
		      const struct kt_record_trace *trace, const struct kt_counters *c,
		      const struct kt_supervisor_end *end);

/*
 * Prints the summary of kernel events. If the recorder was used too, call it after
 * kt_summary_print().
 */
void kt_summary_print_kernel(const struct kt_record_options *options,
			     const struct kt_record_trace *trace,
			     const struct kt_supervisor_end *end);

/* Prints the command that infers a machine from the trace, if any process used a GPU. */
void kt_summary_print_next(const struct kt_record_trace *trace, const struct kt_counters *c,
			   const struct kt_supervisor_end *end);

#endif
