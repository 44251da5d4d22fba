/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What has happened since the module was loaded: a line for each counter, which is a file
 * of /sys/module/doorbell_watch/parameters/. Any context.
 */
#ifndef DW_COUNTERS_H
#define DW_COUNTERS_H

#include <linux/atomic.h>

#define DW_COUNTERS(COUNTER)                                                               \
	COUNTER(events, "events that were raised")                                         \
	COUNTER(begun, "processes, or programs that they became, that began to be traced") \
	COUNTER(doorbells, "doorbell stores that were seen")                               \
	COUNTER(undecoded, "of these, value not known from the instruction")               \
	COUNTER(causeless, "of these, seen by a trap whose cause the machine had lost")    \
	COUNTER(untold, "doorbells of which such a trap did not tell which one it was")    \
	COUNTER(left, "shadow pages given up for a store that could not be made for it")   \
	COUNTER(refused, "kernel-mode accesses to a shadow page that were refused")        \
	COUNTER(no_register, "doorbells left alone: no debug register was free")           \
	COUNTER(not_watched, "threads that could not be watched for another reason")       \
	COUNTER(missed, "calls of the driver's mmap that the hook has missed")             \
	COUNTER(lost, "calls that could not be recorded for want of memory")               \
	COUNTER(unknown, "objects that could not be followed, for there are too many")     \
	COUNTER(untraced, "mappings of which accesses could not be traced")                \
	COUNTER(processes, "processes that are traced now")                                \
	COUNTER(mappings, "device mappings that are followed now")

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
