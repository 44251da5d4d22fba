/* SPDX-License-Identifier: MIT */
/*
 * Stacks of the open API calls of a process: one stack per thread, built from the events
 * api_enter and api_exit in order. A call is open until the api_exit with its correlation
 * or, if this event was lost, until the api_exit of an enclosing call. The caller empties
 * the stacks after a gap and at the end of the process.
 */
#ifndef KTAIL_ANNOTATE_CALL_STACKS_H
#define KTAIL_ANNOTATE_CALL_STACKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/hash-index.h"

struct kt_open_call {
	uint64_t correlation;
	void *call; /* Weak: the caller's record of the call */
};

/* The open calls of a thread. */
struct kt_call_stack {
	uint32_t tid;
	struct kt_open_call *calls; /* Owned by this: innermost last */
	size_t n;
	size_t capacity;
};

/* All zero: no call is open. Free with kt_call_stacks_free(). */
struct kt_call_stacks {
	struct kt_call_stack *threads; /* Owned by this; in order of first calls */
	size_t n_threads;
	size_t threads_capacity;
	struct kt_hash_index by_tid;
	size_t open; /* open calls of all threads */
};

/* Pushes a call. KT_E_MEMORY with a message. Amortised O(1), expected. */
int kt_call_stacks_enter(struct kt_call_stacks *stacks, uint32_t tid, uint64_t correlation,
			 void *call);

/* Returns whether the thread has an open call with this correlation. O(depth). */
bool kt_call_stacks_has(const struct kt_call_stacks *stacks, uint32_t tid,
			uint64_t correlation);

/*
 * Returns the thread's innermost call, valid until the stacks change, or NULL. O(1),
 * expected.
 */
const struct kt_open_call *kt_call_stacks_top(const struct kt_call_stacks *stacks,
					      uint32_t tid);

/* Pops the thread's innermost call; returns false if the thread has no open call. */
bool kt_call_stacks_pop(struct kt_call_stacks *stacks, uint32_t tid,
			struct kt_open_call *out);

/*
 * Pops the innermost call of the first element of `threads` that has an open call; returns
 * false if no call is open.
 */
bool kt_call_stacks_pop_any(struct kt_call_stacks *stacks, struct kt_open_call *out);

/* Frees the stacks and leaves them empty. */
void kt_call_stacks_free(struct kt_call_stacks *stacks);

#endif
