/* SPDX-License-Identifier: MIT */
/*
 * Process instances of a trace: assigns each event, as it arrives, to a process instance,
 * and numbers the events of origins without sequence numbers. All readers of traces use
 * this, so that they number instances alike.
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

/*
 * The sequence numbers of one process instance. If all members are zero, there was no event
 * yet.
 */
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

/* Bytes of the name of a space, with its NUL: "sys", "0x" and eight digits. */
#define KT_SPACE_BYTES 12

/* A process instance: from start or exec to exit or exec. */
struct kt_instance {
	struct kt_origin origin;
	size_t index;  /* among all instances, by first event */
	size_t number; /* ordinal among instances that are not dropped */
	char *name;    /* Owned by this; printable, may be empty; NULL: unknown */
	bool certain;  /* the name comes from its process_begin */
	bool acts;     /* has driver events */
	bool dropped;  /* left out: the process is taken from the other source, see
			  kt_sources_choose() */
	/* pid in the process's own pid namespace, reported by the kernel; 0: unknown */
	uint32_t vpid;
	size_t slot;        /* index of its origin in kt_instances.youngest */
	int64_t first_time; /* earliest time of its events, in ns */
	int64_t last_time;  /* time of the event that arrived last, in ns */
	/* if `acts`: times of the driver events that arrived first and last, in ns */
	int64_t first_act;
	int64_t last_act;
	struct kt_instance
		*before; /* Weak: the previous instance of the origin; NULL: none */
	struct kt_instance
		*other; /* Weak: this instance as seen by the other source; NULL: none */
	struct kt_instance_numbers numbers;
	/* Owned by this: the spaces of mappings, by their numbers from 1 on; "": unknown */
	char (*spaces)[KT_SPACE_BYTES];
	size_t n_spaces;
	size_t spaces_capacity;
	bool without_accesses; /* all were given up, also to later mappings */
};

/* Has no instances if all members but `size` are zero. */
struct kt_instances {
	/* size of the caller's struct, which begins with a struct kt_instance */
	size_t size;
	struct kt_instance **items; /* Owned by this, array and instances */
	size_t n;
	size_t capacity;
	struct kt_instance *last;     /* Weak: instance of the latest event */
	struct kt_hash_index origins; /* by pid, trace and source */
	/* Owned by this: the latest instance of each origin */
	struct kt_instance **youngest;
	size_t youngest_capacity;
};

/* The process instance and sequence number of an event. */
struct kt_arrival {
	struct kt_instance *instance;
	/* the event is the first of its instance; the origin's previous instance is over */
	bool opens;
	uint64_t seq; /* number of the event, or a running number if the origin has none */
};

/*
 * Assigns the next event to a process instance. KT_E_MEMORY with a message. Expected O(log
 * holes), or O(holes) if a hole is split or filled. The event begins a new instance if it
 * is the first of its origin, and in three other cases:
 * - It is a process_begin with number 0.
 * - An event of the latest instance already had this number. The beginning of the new
 *   instance was then lost.
 * - The latest instance has ended, and the event's number is below the number of the first
 *   event of that instance. The beginning of the new instance was lost, too.
 */
int kt_instances_take(struct kt_instances *instances, const struct kt_origin *origin,
		      uint64_t seq, enum kt_event_kind kind, int64_t time,
		      struct kt_arrival *out);

/*
 * Sets the name of an instance to a printable copy of `name`. An existing name stays,
 * unless it is uncertain (from a context) and the new name is `certain` (from a
 * process_begin).
 */
int kt_instance_name(struct kt_instance *instance, const char *name, bool certain);

/*
 * Sets the space of a mapping. Numbers of mappings that are far from dense, which only a
 * damaged trace has, and longer names are ignored. KT_E_MEMORY.
 */
int kt_instance_map(struct kt_instance *instance, uint32_t mapping, const char *space);

/* Returns the space of a mapping; "": unknown. */
const char *kt_instance_space(const struct kt_instance *instance, uint32_t mapping);

/* Frees all instances, but not what members of the caller's struct own. */
void kt_instances_free(struct kt_instances *instances);

#endif
