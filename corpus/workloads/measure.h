/* SPDX-License-Identifier: MIT */
/* Measurements of a workload's calls: marks in the command stream, and durations. */
#ifndef KTAIL_CORPUS_MEASURE_H
#define KTAIL_CORPUS_MEASURE_H

#include <stddef.h>
#include <stdint.h>

#include "corpus/workloads/cuda-driver.h"

/*
 * Marks in the command stream, which attribute submissions in a recorded trace to calls.
 *
 * A mark is a copy of four dwords from page-locked memory to the device: KT_MARK_0,
 * KT_MARK_1, `what`, `number`. Drivers put a copy of this length into the commands
 * themselves, so the four dwords appear in the trace as inline data. A thread's doorbells
 * are written in the order of its calls, so the submissions between two marks belong to the
 * calls between the marks (corpus/windows.awk relies on this). kt_mark_end() writes two
 * marks without a call between them; if the trace has no submissions between these two, a
 * mark causes only its own submission.
 *
 * kt_mark() waits for earlier work in the default stream and for its own copy. If the
 * caller also waits for its other streams, the device is idle when the next call begins.
 */
#define KT_MARK_0 0x6b746d61u /* "ktma" */
#define KT_MARK_1 0x726b2121u /* "rk!!" */

/* All zeros: marks are disabled, and kt_mark() has no effect. */
struct kt_marks {
	kt_cu_address buffer; /* destination of the dwords */
	uint32_t *words;      /* Owned by this; page-locked */
};

/* Allocates the buffers in the current context. */
void kt_marks_make(struct kt_marks *marks);
void kt_marks_free(struct kt_marks *marks);

/*
 * Marks the calls that follow with the pair (`what`, `number`). `what` must not be 0, which
 * kt_mark_end() uses.
 */
void kt_mark(const struct kt_marks *marks, uint32_t what, uint32_t number);

/* Ends the marked section with marks (0, 0) and (0, 1) and no call between them. */
void kt_mark_end(const struct kt_marks *marks);

/*
 * Durations of calls, reported on standard error because standard output must be the same
 * in every run. Durations are elapsed times, so they include waits.
 */
/* All zeros: disabled, and kt_times_add() has no effect. */
struct kt_times {
	uint64_t *ns; /* Owned by this; nanoseconds */
	size_t n;
	size_t capacity;
};

uint64_t kt_now_ns(void);

void kt_times_make(struct kt_times *times, size_t capacity);
void kt_times_free(struct kt_times *times);

/*
 * Adds a call that began at `begin` (by kt_now_ns) and has just ended. Calls beyond the
 * capacity are dropped.
 */
void kt_times_add(struct kt_times *times, uint64_t begin);

/*
 * Prints "WHAT: 100 requests, median 2345 ns, p99 3456 ns" for the calls since the last
 * report and forgets them; `noun` replaces "requests". If there are no calls, prints
 * nothing.
 */
void kt_times_report(struct kt_times *times, const char *what, const char *noun);

#endif
