/* SPDX-License-Identifier: MIT */
/* Prints the counters of a recording on standard error, for ktail record --verbose. */
#ifndef KTAIL_COLLECT_COUNTER_TABLE_H
#define KTAIL_COLLECT_COUNTER_TABLE_H

#include "collect/preload/process/counters.h"
#include "collect/record/supervisor.h"
#include "collect/record/record-options.h"

/* Prints a line per counter: value, name, meaning. Omits counters of modes that are off. */
void kt_counter_table_print(const struct kt_record_options *options,
			    const struct kt_counters *counters);

/* Prints the counters of the kernel's modules in the same way. */
void kt_counter_table_print_kernel(const struct kt_kernel_counts *counts);

#endif
