/* SPDX-License-Identifier: MIT */
/*
 * How long calls take, told on standard error: standard output must be the same in every
 * run. The clock is the machine's, so a call that waits is as long as its wait.
 */
#ifndef KTAIL_CORPUS_TIMES_H
#define KTAIL_CORPUS_TIMES_H

#include <stddef.h>
#include <stdint.h>

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
void kt_times_tell(struct kt_times *times, const char *what, const char *noun);

#endif
