/* SPDX-License-Identifier: MIT */
/*
 * Resources that a process sets up and takes down: mappings, objects of the resource
 * manager, device files, and user memory registered with the API. Also finds resources left
 * when the process exits, and wrong releases: of resources never set up or already taken down.
 *
 * - A mapping ends when all its bytes are unmapped.
 * - An object ends when it or an ancestor is freed: freeing an object frees its descendants
 *   (Source: open-gpu-kernel-modules, resource server). A failed free ends nothing.
 * - A device file ends when it is closed.
 * - Resources that remain at exit count as `left`, although the kernel releases them.
 *   Resources that remain when the recording ends or the process calls exec count neither as
 *   left nor as taken down.
 *
 * Other pairs, such as ioctls of the unified-memory driver and most calls of the API, are
 * only counted (pair-counts.h), since a trace does not identify the resource of each call.
 */
#ifndef KTAIL_ANNOTATE_PAIRS_H
#define KTAIL_ANNOTATE_PAIRS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "annotate/events/activity.h"
#include "annotate/pairs/pair-counts.h"
#include "base/texts.h"
#include "infer/words/memory/number-map.h"

enum kt_resource_group {
	KT_RESOURCE_MAPPING,
	KT_RESOURCE_OBJECT,
	KT_RESOURCE_FILE,
	KT_RESOURCE_MEMORY, /* user memory registered with the API */
	KT_RESOURCE_GROUPS,
};

enum kt_resource_end {
	KT_END_OPEN,     /* exists, or existed when the recording ended */
	KT_END_OWN,      /* was taken down itself, not with an ancestor */
	KT_END_ANCESTOR, /* was taken down with an ancestor */
	KT_END_REPLACED, /* its id was reused, although no end was recorded */
	KT_END_LEFT,     /* existed when the process exited */
	KT_END_EXEC,     /* existed when the process called exec */
	KT_RESOURCE_ENDS,
};

/*
 * Static names of groups ("mapping", "object", "file", "memory") and of ends ("open",
 * "own", "ancestor", "replaced", "left", "exec").
 */
const char *kt_resource_group_name(enum kt_resource_group group);
const char *kt_resource_end_name(enum kt_resource_end end);

/* Event that set a resource up or took it down. */
struct kt_pair_event {
	uint64_t seq;
	uint64_t time; /* ns since the first event of the trace */
	uint32_t tid;
	/* Weak: in the pool: name of the innermost API call; NULL: outside any call */
	const char *call;
};

/* A resource that was set up. */
struct kt_resource {
	enum kt_resource_group group;
	/*
	 * Weak: in the pool: space of a mapping ("sys"), class of an object
	 * ("HOPPER_DMA_COPY_A"), name of a device file ("nvidia0"), or "host" for memory.
	 */
	const char *kind;
	size_t trace;      /* index of the trace */
	uint64_t instance; /* ordinal of the process instance */
	uint32_t pid;
	const char *process; /* Weak: in the pool */
	/*
	 * Of a mapping: its number. Of an object: client << 32 | handle. Of a file: the
	 * descriptor. Of memory: the address.
	 */
	uint64_t id;
	struct kt_pair_event up;
	enum kt_resource_end end;
	struct kt_pair_event down; /* all 0 unless `end` is OWN, ANCESTOR or REPLACED */
	uint64_t bytes;            /* length of a mapping or of registered memory */
	uint64_t unmapped;         /* mapping: bytes unmapped so far */
	bool free_reported;        /* object: an object event has reported its free */
	/*
	 * Of an object, in kt_pairs.resources: `below` is index + 1 of the first child,
	 * `beside` index + 1 of the next sibling; 0: none.
	 */
	size_t below;
	size_t beside;
};

enum kt_misstep {
	KT_MISSTEP_TWICE,   /* already taken down */
	KT_MISSTEP_UNKNOWN, /* no setup was recorded */
	/*
	 * No setup was recorded, but the resource may be a file duplicated by dup(2), which is
	 * not recorded, or inherited from the parent process.
	 */
	KT_MISSTEP_INHERITED,
	KT_MISSTEPS,
};

/*
 * Returns whether the resource still exists. KT_END_EXEC counts as existing: if the
 * process has further events, its exec failed.
 */
static inline bool kt_resource_is_there(const struct kt_resource *resource)
{
	return resource->end == KT_END_OPEN || resource->end == KT_END_EXEC;
}

const char *kt_misstep_name(enum kt_misstep misstep);

/* A release of a resource that does not exist. */
struct kt_wrong_end {
	enum kt_misstep misstep;
	enum kt_resource_group group;
	const char *kind; /* Weak: in the pool; "": unknown */
	size_t trace;
	uint64_t instance;
	uint32_t pid;
	const char *process; /* Weak: in the pool */
	uint64_t id;
	struct kt_pair_event event;
};

/* Empty if all members are zero. Free with kt_pairs_free(). */
struct kt_pairs {
	struct kt_resource
		*resources; /* Owned by this: trace by trace, in order of setup */
	size_t n;
	size_t capacity;
	struct kt_wrong_end *wrong; /* Owned by this */
	size_t n_wrong;
	size_t wrong_capacity;
	struct kt_pair_counts counts; /* pairs that are only counted */
	struct kt_texts pool;
	size_t n_traces;
	/* The members below are used while a trace is read. */
	/* Owned by this: indexed by process instance; NULL: the instance has not begun. */
	struct kt_pair_instance **reading;
	size_t n_reading;
	size_t reading_capacity;
	struct kt_number_map pids; /* pids that occurred in the trace so far */
};

/*
 * The context is a struct kt_pairs. Amortised O(1) per event, but O(resources of the
 * trace) at the end of a process.
 */
extern const struct kt_activity_visitor kt_pairs_visitor;

void kt_pairs_free(struct kt_pairs *pairs);

#endif
