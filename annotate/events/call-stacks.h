/* SPDX-License-Identifier: MIT */
/*
 * The calls of the API that are open on each thread of one process, from events api_enter
 * and api_exit in order. A call is open until the api_exit with its correlation, or that of
 * one further down in its thread's stack: its own was lost then. Whoever feeds this clears
 * it where events are missing, and at the process's end.
 */
#ifndef KTAIL_ANNOTATE_CALL_STACKS_H
#define KTAIL_ANNOTATE_CALL_STACKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/hash-index.h"

struct kt_open_call {
	uint64_t correlation;
	void *call; /* Weak: what its user knows of it */
};

/* Of one thread. */
struct kt_call_stack {
	uint32_t tid;
	struct kt_open_call *calls; /* Owned by this: the innermost last */
	size_t n;
	size_t capacity;
};

/* All zero: none is open. */
struct kt_call_stacks {
	struct kt_call_stack *threads; /* Owned by this: in order of their first calls */
	size_t n_threads;
	size_t threads_capacity;
	struct kt_hash_index by_tid;
	size_t open; /* on all threads */
};

/* A call begins. KT_E_MEMORY with a message. Amortised O(1), expected. */
int kt_call_stacks_enter(struct kt_call_stacks *stacks, uint32_t tid, uint64_t correlation,
			 void *call);

/* Whether a call of that thread with that correlation is open. O(depth). */
bool kt_call_stacks_has(const struct kt_call_stacks *stacks, uint32_t tid,
			uint64_t correlation);

/* The innermost call of a thread, valid until the next change; NULL: none. O(1). */
const struct kt_open_call *kt_call_stacks_top(const struct kt_call_stacks *stacks,
					      uint32_t tid);

/* Takes the innermost call of a thread out. false: none is open. */
bool kt_call_stacks_pop(struct kt_call_stacks *stacks, uint32_t tid,
			struct kt_open_call *out);

/* The same of any thread, in the order of their first calls. */
bool kt_call_stacks_pop_any(struct kt_call_stacks *stacks, struct kt_open_call *out);

/* Frees all, and leaves it as it was in the beginning. */
void kt_call_stacks_free(struct kt_call_stacks *stacks);

#endif
