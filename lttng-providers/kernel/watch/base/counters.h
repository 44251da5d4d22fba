/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Counters since the module was loaded, except `processes` and `mappings`, which are
 * current numbers. Each row is a read-only file of /sys/module/doorbell_watch/parameters/.
 * Any context.
 */
#ifndef DW_COUNTERS_H
#define DW_COUNTERS_H

#include <linux/atomic.h>

#define DW_COUNTERS(COUNTER)                                                               \
	COUNTER(events, "events emitted")                                                  \
	COUNTER(begun, "process instances whose tracing has begun")                        \
	COUNTER(doorbells, "doorbell stores observed")                                     \
	COUNTER(undecoded,                                                                 \
		"doorbells whose value could not be decoded from the instruction")         \
	COUNTER(causeless,                                                                 \
		"doorbells observed by a trap for which the CPU reported no cause")        \
	COUNTER(untold,                                                                    \
		"such traps that could not be attributed to one of several doorbells")     \
	COUNTER(left, "shadow pages abandoned for a store that could not be forwarded")    \
	COUNTER(refused, "kernel-mode accesses to a shadow page that were refused")        \
	COUNTER(no_register,                                                               \
		"doorbells not watched in a thread: no debug register was free")           \
	COUNTER(not_watched, "threads that could not be watched for another reason")       \
	COUNTER(missed, "calls of the driver's mmap that the hook missed")                 \
	COUNTER(lost, "calls not recorded because memory was short")                       \
	COUNTER(unknown, "objects not followed because a process has too many")            \
	COUNTER(untraced, "mappings whose accesses could not be traced")                   \
	COUNTER(processes, "processes being traced")                                       \
	COUNTER(mappings, "device mappings being followed")

enum dw_counter {
#define COUNTER(name, text) DW_COUNT_##name,
	DW_COUNTERS(COUNTER)
#undef COUNTER
		DW_COUNT_N,
};

extern atomic64_t dw_counters[DW_COUNT_N];

#define dw_count(name)    atomic64_inc(&dw_counters[DW_COUNT_##name])
#define dw_uncount(name)  atomic64_dec(&dw_counters[DW_COUNT_##name])
#define dw_count_of(name) atomic64_read(&dw_counters[DW_COUNT_##name])

#endif
