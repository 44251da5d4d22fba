/* SPDX-License-Identifier: MIT */
/*
 * Resources that a process sets up and takes down: mappings, objects of the resource
 * manager, device files, and user memory registered with the API. Includes resources left
 * when the process ends, and releases of resources that were never set up or already
 * released.
 *
 * - A mapping ends when all its bytes are unmapped.
 * - An object ends by its own free or with an ancestor: freeing an object frees its
 *   descendants (Source: open-gpu-kernel-modules, resource server). A failed free has no
 *   effect.
 * - A device file ends by its close.
 * - Resources that remain at exit are `left`, although the kernel releases them. Those that
 *   remain when the recording ends or the process calls exec are neither left nor taken
 *   down.
 *
 * Other pairs, such as requests of the unified-memory driver and most calls of the API, are
 * only counted (pair-counts.h), since a trace does not identify the resource of each call.
 */
#ifndef KTAIL_ANNOTATE_PAIRS_H
#define KTAIL_ANNOTATE_PAIRS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "annotate/events/activity.h"
#include "annotate/events/number-map.h"
#include "annotate/pairs/pair-counts.h"
#include "base/texts.h"

enum kt_resource_group {
	KT_RESOURCE_MAPPING,
	KT_RESOURCE_OBJECT,
	KT_RESOURCE_FILE,
	KT_RESOURCE_MEMORY, /* registered with the API */
	KT_RESOURCE_GROUPS,
};

enum kt_resource_end {
	KT_END_OPEN,     /* still there, or was when the recording ended */
	KT_END_OWN,      /* taken down itself */
	KT_END_ANCESTOR, /* taken down with an ancestor */
	KT_END_REPLACED, /* its id was reused: its end was not recorded */
	KT_END_LEFT,     /* still there when the process exited */
	KT_END_EXEC,     /* still there when the process called exec */
	KT_RESOURCE_ENDS,
};

/* "mapping", ...; "open", "own", "ancestor", "replaced", "left", "exec". Static. */
const char *kt_resource_group_name(enum kt_resource_group group);
const char *kt_resource_end_name(enum kt_resource_end end);

/* Event that set a resource up or took it down. */
struct kt_pair_event {
	uint64_t seq;
	uint64_t time; /* ns since the first event of the trace */
	uint32_t tid;
	const char *call; /* Weak: in the pool; the innermost call of the API; NULL: none */
};

/* A resource that was set up. */
struct kt_resource {
	enum kt_resource_group group;
	const char *kind; /* Weak: in the pool; "sys", "HOPPER_DMA_COPY_A", "nvidia0" */
	size_t trace;
	uint64_t instance;
	uint32_t pid;
	const char *process; /* Weak: in the pool */
	/*
	 * Mapping: its number. Object: client and handle. File: descriptor. Memory:
	 * address.
	 */
	uint64_t id;
	struct kt_pair_event up;
	enum kt_resource_end end;
	struct kt_pair_event down; /* all 0 unless `end` is OWN, ANCESTOR or REPLACED */
	uint64_t bytes;            /* length of a mapping or of memory */
	uint64_t unmapped;         /* mapping: bytes unmapped so far */
	bool free_reported;        /* an object event has reported its free */
	/*
	 * Object: index + 1 of the first child (`below`) and next sibling (`beside`); 0:
	 * none.
	 */
	size_t below;
	size_t beside;
};

enum kt_misstep {
	KT_MISSTEP_TWICE,   /* already taken down */
	KT_MISSTEP_UNKNOWN, /* never set up, as far as was recorded */
	/*
	 * never set up, but perhaps a duplicate of a file (the trace has no dup(2)), or
	 * inherited from a recorded parent process
	 */
	KT_MISSTEP_INHERITED,
	KT_MISSTEPS,
};

/* Whether the resource still exists. EXEC counts as existing: an exec may fail. */
static inline bool kt_resource_is_there(const struct kt_resource *resource)
{
	return resource->end == KT_END_OPEN || resource->end == KT_END_EXEC;
}

const char *kt_misstep_name(enum kt_misstep misstep);

/* A release of a resource that is not there. */
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

/* All zero: empty. Free with kt_pairs_free(). */
struct kt_pairs {
	struct kt_resource
		*resources; /* Owned by this; in order of events, trace by trace */
	size_t n;
	size_t capacity;
	struct kt_wrong_end *wrong; /* Owned by this */
	size_t n_wrong;
	size_t wrong_capacity;
	struct kt_pair_counts counts; /* pairs that are only counted */
	struct kt_texts pool;
	size_t n_traces;
	/* While a trace is read. */
	/* Owned by this: by process instance; NULL: not yet known. */
	struct kt_pair_instance **reading;
	size_t n_reading;
	size_t reading_capacity;
	struct kt_number_map pids; /* pids of the trace */
};

/* Context: struct kt_pairs. Amortised O(1) for each event. */
extern const struct kt_activity_visitor kt_pairs_visitor;

void kt_pairs_free(struct kt_pairs *pairs);

#endif
