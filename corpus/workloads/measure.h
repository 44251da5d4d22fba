/* SPDX-License-Identifier: MIT */
/* What a workload says of its calls: marks in the command stream, and how long they take.
 */
#ifndef KTAIL_CORPUS_MEASURE_H
#define KTAIL_CORPUS_MEASURE_H

#include <stddef.h>
#include <stdint.h>

#include "corpus/workloads/cuda-driver.h"

/*
 * Marks in the command stream, by which a recorded trace says which call made which
 * submission.
 *
 * A mark is a copy of four words from pageable memory to the device: KT_MARK_0, KT_MARK_1,
 * `what`, `number`. Drivers put so short a copy inside the commands, so the four words
 * stand in the trace as inline data. Doorbells of a thread ring in the order of its calls:
 * what is submitted between two marks was submitted by what the program called between them
 * (corpus/windows.awk reads it so). That marks themselves add nothing is seen where two of
 * them stand side by side.
 *
 * What came before a mark in the default stream is waited for, and so is the mark: the next
 * call meets an idle device, if the caller waits for its other streams.
 */
#define KT_MARK_0 0x6b746d61u /* "ktma" */
#define KT_MARK_1 0x726b2121u /* "rk!!" */

/* {0}: no marks, and kt_mark() does nothing. */
struct kt_marks {
	kt_cu_address buffer; /* where the words go */
	uint32_t *words;      /* pinned; owned by this */
};

/* In the current context. */
void kt_marks_make(struct kt_marks *marks);
void kt_marks_free(struct kt_marks *marks);

/* What follows is `number` of `what`, which is not 0. */
void kt_mark(const struct kt_marks *marks, uint32_t what, uint32_t number);

/* What was marked is over: marks 0 0 and 0 1, with nothing between them. */
void kt_mark_end(const struct kt_marks *marks);

/*
 * How long calls take, told on standard error: standard output must be the same in every
 * run. The clock is the machine's, so a call that waits is as long as its wait.
 */
/* {0}: nobody asked, and kt_times_add() does nothing. */
struct kt_times {
	uint64_t *ns; /* Owned by this */
	size_t n;
	size_t capacity;
};

uint64_t kt_now_ns(void);

void kt_times_make(struct kt_times *times, size_t capacity);
void kt_times_free(struct kt_times *times);

/* A call that began at `begin` (by kt_now_ns) has ended. What is beyond capacity is left
 * out. */
void kt_times_add(struct kt_times *times, uint64_t begin);

/*
 * "WHAT: 100 requests, median 2345 ns, p99 3456 ns" for the calls since the last time, and
 * forgets them; `noun` stands in place of "requests". Nothing if there were none.
 */
void kt_times_report(struct kt_times *times, const char *what, const char *noun);

#endif
