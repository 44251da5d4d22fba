/* SPDX-License-Identifier: MIT */
/* What ktail record says at the end, on standard error. */
#ifndef KTAIL_COLLECT_SUMMARY_H
#define KTAIL_COLLECT_SUMMARY_H

#include "collect/preload/process/counters.h"
#include "collect/record/supervisor.h"
#include "collect/record/record-options.h"

/* One line, and one for each thing that is missing or that somebody should know. */
void kt_summary_print(const struct kt_record_options *options, const struct kt_counters *c,
		      const struct kt_supervisor_end *end);

/* The same of what the kernel's modules have seen. */
void kt_summary_print_kernel(const struct kt_record_options *options,
			     const struct kt_supervisor_end *end);

#endif
