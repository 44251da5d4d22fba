/* SPDX-License-Identifier: MIT */
/*
 * The lives of the processes that a trace tells of, as its events arrive: which life an
 * event is of, and its number there. All readers of traces tell lives apart by this, so
 * they number them alike.
 */
#ifndef KTAIL_WORDS_INSTANCES_H
#define KTAIL_WORDS_INSTANCES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/hash-index.h"
#include "infer/words/split/collect.h"

/* Sequence numbers from..to-1 that have not arrived yet. */
struct kt_hole {
	uint64_t from;
	uint64_t to;
};

/* The sequence numbers that one life has had. All zero: no event has come. */
struct kt_instance_numbers {
	bool begun;            /* it has had an event */
	bool ended;            /* the highest so far is that of a process_end */
	bool unsorted;         /* one came after a higher one */
	uint64_t first;        /* of the first arrival */
	uint64_t next;         /* the highest + 1 */
	struct kt_hole *holes; /* Owned by this; ascending; none once the life is over */
	size_t n_holes;
	size_t holes_capacity;
};

/* One life of a process: from start or exec to exit or exec. */
struct kt_instance {
	struct kt_origin origin;
	size_t index;       /* among all, by first event */
	size_t number;      /* among those that are not dropped, as far as that is known */
	char *name;         /* Owned by this, printable, may be empty; NULL: not known */
	bool certain;       /* its process_begin has said the name */
	bool acts;          /* it has events of the driver */
	bool dropped;       /* taken from the other side: kt_sources_choose() */
	uint32_t vpid;      /* as the kernel tells it; 0: not known */
	size_t slot;        /* of its origin among all */
	int64_t first_time; /* of its events, in order of arrival */
	int64_t last_time;
	struct kt_instance
		*before; /* Weak: the one before of the same origin; NULL: none */
	struct kt_instance
		*other; /* Weak: the same seen from the other side, likewise; or NULL */
	struct kt_instance_numbers numbers;
};

/* All zero but `size`: none. */
struct kt_instances {
	size_t size; /* of what begins with a struct kt_instance, and is one */
	struct kt_instance **items; /* Owned by this, each as well */
	size_t n;
	size_t capacity;
	struct kt_instance *last;      /* Weak: of the event taken last */
	struct kt_hash_index origins;  /* by pid and trace */
	struct kt_instance **youngest; /* Owned by this: the youngest life of each origin */
	size_t youngest_capacity;
};

/* An event's place. */
struct kt_arrival {
	struct kt_instance *instance;
	bool opens;   /* it is the first of its life: the one before of that pid is over */
	uint64_t seq; /* its own, or, where events have none, one that counts on */
};

/*
 * Takes the next event in. It is of a new life if it is process_begin with number 0,
 * always, or has a number that was there already: that is of a life whose beginning was
 * lost, and so is a number from before the first event once the life has ended. KT_E_MEMORY
 * with a message. Expected O(log holes), and O(holes) where one is split or filled.
 */
int kt_instances_take(struct kt_instances *instances, const struct kt_origin *origin,
		      uint64_t seq, enum kt_event_kind kind, int64_t time,
		      struct kt_arrival *out);

/*
 * Names a life, printably; `certain` (its process_begin says it) wins over what a context
 * said.
 */
int kt_instance_name(struct kt_instance *instance, const char *name, bool certain);

/* Frees all lives, but not what the caller put after a struct kt_instance. */
void kt_instances_free(struct kt_instances *instances);

#endif
