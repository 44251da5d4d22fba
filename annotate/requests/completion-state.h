/* SPDX-License-Identifier: MIT */
/* What completions.c and completion-looks.c share. */
#ifndef KTAIL_ANNOTATE_COMPLETION_STATE_H
#define KTAIL_ANNOTATE_COMPLETION_STATE_H

#include "annotate/events/addresses.h"
#include "annotate/events/number-map.h"
#include "annotate/requests/completions.h"

/* A request: what it is told by `completion`, and which later ones imply it. */
struct kt_completion_node {
	uint64_t seq;
	size_t edges; /* index + 1 of the first; 0: none */
	size_t item;  /* where a thread's group may have it */
	struct kt_completion completion;
};

/* If request `to`, which is later, is done, so is the one that has this edge. */
struct kt_completion_edge {
	size_t to;
	enum kt_tie tie;
	size_t next; /* index + 1 */
};

struct kt_completion_release {
	struct kt_semaphore_value value;
	size_t request;
	size_t before; /* the one before it of the same semaphore, index + 1 */
	size_t far;    /* one further back, or the same: skips powers of two; index + 1 */
	size_t depth;  /* how many are before it */
};

/* Indices of requests. */
struct kt_completion_list {
	size_t *items; /* Owned by this */
	size_t n;
	size_t capacity;
};

struct kt_completion_mapping {
	uint64_t address;
	uint64_t length; /* 0: unknown */
	/* That have a semaphore in it, and saw no run in it yet; none in a call that waits
	 */
	struct kt_completion_list unseen;
	struct kt_completion_list unseen_waiting;
};

/* A request that a thread looked at, in its group of looks. */
struct kt_completion_item {
	size_t request;
	bool first; /* its first look of all is among these */
	struct kt_look last;
	uint64_t looks;
	uint64_t slept;
};

struct kt_completion_thread {
	bool inside;     /* of a call */
	bool waits;      /* that call */
	uint64_t asleep; /* waits for a device since its last look, in this group */
	uint64_t slept;
	struct kt_completion_item *items; /* Owned by this */
	size_t n;
	size_t capacity;
};

struct kt_completions {
	bool exact;
	struct kt_completion_node *nodes; /* Owned by this, as all below */
	size_t n;
	size_t capacity;
	struct kt_completion_edge *edges;
	size_t n_edges;
	size_t edges_capacity;
	struct kt_completion_release *releases;
	size_t n_releases;
	size_t releases_capacity;
	struct kt_number_map newest;            /* address -> index of the newest release */
	struct kt_number_map channels;          /* channel -> index of its newest request */
	struct kt_completion_mapping *mappings; /* by number */
	size_t n_mappings;
	size_t mappings_capacity;
	struct kt_addresses addresses; /* -> index in mappings */
	struct kt_number_map tids;
	struct kt_completion_thread *threads;
	size_t n_threads;
	size_t threads_capacity;
	uint64_t sleeps;
	uint64_t unmatched;
};

#endif
