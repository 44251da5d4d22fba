/* SPDX-License-Identifier: MIT */
/*
 * What ktail record says at the end, on standard error: how many events were recorded and
 * lost, and how many doorbells; all counters with --verbose; a warning for each loss and
 * each mode that could not be had; the next command. With --quiet only losses.
 */
#ifndef KTAIL_COLLECT_SUMMARY_H
#define KTAIL_COLLECT_SUMMARY_H

#include "collect/preload/process/counters.h"
#include "collect/record/supervisor.h"
#include "collect/record/own-libraries.h"
#include "collect/record/record-options.h"

/* The trace that was recorded. */
struct kt_record_trace {
	const char *path;                 /* Weak: as the user gave it */
	const struct kt_softgpu *softgpu; /* Weak; NULL: recorded on hardware */
};

/* Of the recorder in programs. */
void kt_summary_print(const struct kt_record_options *options,
		      const struct kt_record_trace *trace, const struct kt_counters *c,
		      const struct kt_supervisor_end *end);

/* Of the kernel's modules; after the recorder's, where both record. */
void kt_summary_print_kernel(const struct kt_record_options *options,
			     const struct kt_record_trace *trace,
			     const struct kt_supervisor_end *end);

/* The command that infers a machine from the trace, if any process used a GPU. */
void kt_summary_print_next(const struct kt_record_trace *trace, const struct kt_counters *c,
			   const struct kt_supervisor_end *end);

#endif
