/* SPDX-License-Identifier: MIT */
/*
 * Process instances of a trace: assigns each event, as it arrives, to an instance and a
 * number in it. All readers of traces use this, so that they number instances alike.
 */
#ifndef KTAIL_WORDS_INSTANCES_H
#define KTAIL_WORDS_INSTANCES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/hash-index.h"
#include "infer/words/split/collect.h"

/* Sequence numbers from..to-1, which have not arrived yet. */
struct kt_hole {
	uint64_t from;
	uint64_t to;
};

/* The sequence numbers of one process instance. All zero: no event yet. */
struct kt_instance_numbers {
	bool begun;     /* has had an event */
	bool ended;     /* the highest number so far is that of a process_end */
	bool unsorted;  /* an event arrived after one with a higher number */
	uint64_t first; /* number of the first event to arrive */
	uint64_t next;  /* the highest number + 1 */
	/* Owned by this; ascending; none once the instance is over */
	struct kt_hole *holes;
	size_t n_holes;
	size_t holes_capacity;
};

/* A process instance: from start or exec to exit or exec. */
struct kt_instance {
	struct kt_origin origin;
	size_t index;       /* among all instances, by first event */
	size_t number;      /* among instances not dropped so far */
	char *name;         /* Owned by this; printable, may be empty; NULL: unknown */
	bool certain;       /* the name comes from its process_begin */
	bool acts;          /* has driver events */
	bool dropped;       /* left out: the process is taken from the other source, see
			       kt_sources_choose() */
	uint32_t vpid;      /* reported by the kernel; 0: unknown */
	size_t slot;        /* index of its origin */
	int64_t first_time; /* of its events, in order of arrival */
	int64_t last_time;
	struct kt_instance
		*before; /* Weak: the previous instance of the origin; NULL: none */
	struct kt_instance
		*other; /* Weak: the same instance in the other source; NULL: none */
	struct kt_instance_numbers numbers;
};

/* All zero except `size`: no instances. */
struct kt_instances {
	/* size of the caller's struct, which begins with a struct kt_instance */
	size_t size;
	struct kt_instance **items; /* Owned by this, each as well */
	size_t n;
	size_t capacity;
	struct kt_instance *last;     /* Weak: instance of the latest event */
	struct kt_hash_index origins; /* by pid and trace */
	/* Owned by this: the latest instance of each origin */
	struct kt_instance **youngest;
	size_t youngest_capacity;
};

/* The process instance and number of an event. */
struct kt_arrival {
	struct kt_instance *instance;
	/* first event of its instance; the previous one of that pid is over */
	bool opens;
	uint64_t seq; /* the event's own, or a running number if events have none */
};

/*
 * Assigns the next event to a process instance. KT_E_MEMORY with a message. Expected O(log
 * holes), and O(holes) if a hole is split or filled. The event begins a new instance in
 * three cases:
 * - It is a process_begin with number 0.
 * - Its number was already used. The beginning of the new instance was then lost.
 * - The instance has ended, and the number is below its first one. The beginning was lost,
 *   too.
 */
int kt_instances_take(struct kt_instances *instances, const struct kt_origin *origin,
		      uint64_t seq, enum kt_event_kind kind, int64_t time,
		      struct kt_arrival *out);

/*
 * Sets the printable name of an instance; a `certain` name, from its process_begin,
 * replaces one from a context.
 */
int kt_instance_name(struct kt_instance *instance, const char *name, bool certain);

/* Frees all instances, but not the data that the caller put after a struct kt_instance. */
void kt_instances_free(struct kt_instances *instances);

#endif
