/* SPDX-License-Identifier: MIT */
/* What ktail record --verbose adds on standard error: the counters of a recording. */
#ifndef KTAIL_COLLECT_COUNTER_TABLE_H
#define KTAIL_COLLECT_COUNTER_TABLE_H

#include "collect/preload/process/counters.h"
#include "collect/record/supervisor.h"
#include "collect/record/record-options.h"

/* One counter a line: value, name, meaning. Counters of modes that are off are left out. */
void kt_counter_table_print(const struct kt_record_options *options,
			    const struct kt_counters *counters);

/* The same for the kernel's modules. */
void kt_counter_table_print_kernel(const struct kt_kernel_counts *counts);

#endif
