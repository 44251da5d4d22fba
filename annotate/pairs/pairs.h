/* SPDX-License-Identifier: MIT */
/*
 * What a process sets up and takes down: mappings, objects of the resource manager, device
 * files, user memory that the API registers; what is left when it ends; what was taken down
 * twice, or never set up.
 *
 * - A mapping is taken down once all its bytes are unmapped.
 * - An object is taken down by its free, or with an ancestor: to free an object frees all
 *   below it (open-gpu-kernel-modules, resource server). A free that failed takes nothing.
 * - A device file is taken down by its close.
 * - What a process has when it exits the kernel takes down; here it is `left`. What it has
 *   when the recording of it ends, or when it becomes another program, is neither.
 *
 * Of other pairs, such as the unified-memory driver's requests and most calls of the API,
 * a trace does not say what each was about: they are counted (pair-counts.h).
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
	KT_RESOURCE_MEMORY, /* that the API registered */
	KT_RESOURCE_GROUPS,
};

enum kt_resource_end {
	KT_END_OPEN,     /* it is there; in the end: the recording ended first */
	KT_END_OWN,      /* taken down itself */
	KT_END_ANCESTOR, /* with an ancestor */
	KT_END_REPLACED, /* something else has its number now: its end was not recorded */
	KT_END_LEFT,     /* the process exited */
	KT_END_EXEC,     /* the process became another program */
	KT_RESOURCE_ENDS,
};

/* "mapping", ...; "open", "own", "ancestor", "replaced", "left", "exec". Static. */
const char *kt_resource_group_name(enum kt_resource_group group);
const char *kt_resource_end_name(enum kt_resource_end end);

/* Where something was set up or taken down. */
struct kt_pair_event {
	uint64_t seq;
	uint64_t time; /* ns since the first event of the trace */
	uint32_t tid;
	const char *call; /* Weak: of the pool: the innermost call of the API; NULL: none */
};

/* Something that was set up. */
struct kt_resource {
	enum kt_resource_group group;
	const char *kind; /* Weak: of the pool: "sys", "HOPPER_DMA_COPY_A", "nvidia0" */
	size_t trace;
	uint64_t instance;
	uint32_t pid;
	const char *process; /* Weak: of the pool */
	/* Mapping: its number; object: client and handle; file: descriptor; memory: address
	 */
	uint64_t id;
	struct kt_pair_event up;
	enum kt_resource_end end;
	struct kt_pair_event down; /* if taken down; of OPEN, LEFT, EXEC all 0 */
	uint64_t bytes;            /* mapping, memory: how long it is */
	uint64_t unmapped;         /* mapping: bytes unmapped */
	bool free_reported;        /* an object event has said that it is freed */
	size_t below; /* object: first and next of those directly below, index + 1 */
	size_t beside;
};

enum kt_misstep {
	KT_MISSTEP_TWICE,   /* taken down before */
	KT_MISSTEP_UNKNOWN, /* not set up, as far as was recorded */
	/* The same of a file: a duplicate, which a trace does not tell; and in a process
	 * that another one made: it had it from there */
	KT_MISSTEP_INHERITED,
	KT_MISSTEPS,
};

/* Whether it is still there. Where an exec fails, what the process had is. */
static inline bool kt_resource_is_there(const struct kt_resource *resource)
{
	return resource->end == KT_END_OPEN || resource->end == KT_END_EXEC;
}

const char *kt_misstep_name(enum kt_misstep misstep);

/* Something that was taken down, but was not there. */
struct kt_wrong_end {
	enum kt_misstep misstep;
	enum kt_resource_group group;
	const char *kind; /* Weak: of the pool; "" where it is unknown */
	size_t trace;
	uint64_t instance;
	uint32_t pid;
	const char *process; /* Weak: of the pool */
	uint64_t id;
	struct kt_pair_event event;
};

/* All zero: none. Free with kt_pairs_free(). */
struct kt_pairs {
	struct kt_resource
		*resources; /* Owned by this; of each trace in order of their events */
	size_t n;
	size_t capacity;
	struct kt_wrong_end *wrong; /* Owned by this */
	size_t n_wrong;
	size_t wrong_capacity;
	struct kt_pair_counts counts; /* of what is counted alone */
	struct kt_texts pool;
	size_t n_traces;
	/* While a trace is read */
	struct kt_pair_instance **reading; /* Owned by this: by life; NULL: none yet */
	size_t n_reading;
	size_t reading_capacity;
	struct kt_number_map pids; /* of the trace */
};

/* Of context struct kt_pairs. Amortised O(1) an event. */
extern const struct kt_activity_visitor kt_pairs_visitor;

void kt_pairs_free(struct kt_pairs *pairs);

#endif
