/* SPDX-License-Identifier: MIT */
/*
 * The account of one thread's time in the recorder, and the choice of what is given up if
 * the time is above a limit (ktail record --overhead).
 *
 * Overhead is the time in the recorder over the rest of the thread's time, running or
 * waiting: by that part the thread takes longer than without the recorder. It is judged
 * once in each window of at least KT_OVERHEAD_WINDOW_NS. These functions have no state of
 * their own, read no clock and are signal-safe.
 */
#ifndef KTAIL_COLLECT_OVERHEAD_H
#define KTAIL_COLLECT_OVERHEAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A variant of the recorder for tests judges each visit. */
#ifndef KT_OVERHEAD_WINDOW_NS
#define KT_OVERHEAD_WINDOW_NS UINT64_C(100000000)
#endif

/* Limits of --overhead, in percent. */
#define KT_OVERHEAD_MIN 1
#define KT_OVERHEAD_MAX 1000

/* Mappings whose accesses are accounted for separately; those of others are not. */
#define KT_OVERHEAD_SHARES 16

struct kt_overhead_share {
	uint32_t mapping; /* ordinal */
	uint64_t ns;      /* of `inside`: for accesses to this mapping */
};

struct kt_overhead {
	uint64_t begun;  /* ns: when the window began; 0: none has */
	uint64_t inside; /* ns in the recorder since */
	size_t n;
	struct kt_overhead_share shares[KT_OVERHEAD_SHARES];
};

/* What brings a window that is above the limit below it again. */
struct kt_overhead_choice {
	bool all; /* more than the accesses to all mappings in the account */
	size_t n; /* else: the accesses to these mappings, the costliest first */
	uint32_t mappings[KT_OVERHEAD_SHARES];
};

/* Begins a window at `now`. */
void kt_overhead_open(struct kt_overhead *account, uint64_t now);

/*
 * Adds time in the recorder; `mapping` is the ordinal of the mapping that was accessed, or
 * 0. O(KT_OVERHEAD_SHARES).
 */
void kt_overhead_add(struct kt_overhead *account, uint32_t mapping, uint64_t ns);

/*
 * Returns whether the overhead from the window's begin to `now` is above `percent`. If so,
 * *choice has as few mappings as possible.
 */
bool kt_overhead_is_above(const struct kt_overhead *account, uint64_t now, uint32_t percent,
			  struct kt_overhead_choice *choice);

/* Returns the time from the window's begin to `now` that was not spent in the recorder. */
uint64_t kt_overhead_rest(const struct kt_overhead *account, uint64_t now);

#endif
