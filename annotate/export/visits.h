/* SPDX-License-Identifier: MIT */
/* The states of a machine that the words of traces visit. */
#ifndef KTAIL_ANNOTATE_VISITS_H
#define KTAIL_ANNOTATE_VISITS_H

#include <stddef.h>
#include <stdint.h>

#include <ktail/fsm.h>

#include "annotate/meaning/placement.h"
#include "annotate/timeline/timeline.h"

/* A letter, and the transition that it takes. */
struct kt_visit {
	uint32_t word;     /* index in `words` */
	uint64_t position; /* in the word, from 0 */
	uint32_t event;    /* index of its event, or KT_TIMELINE_NONE */
	uint32_t letter;   /* index in the machine's letters; KT_UNPLACED: unknown there */
	uint32_t transition; /* index in the machine's transitions, or KT_UNPLACED */
};

struct kt_visited_word {
	char *name; /* Owned by this */
	uint64_t letters;
	uint64_t fitting; /* letters before the first that does not fit the machine */
};

/* Empty if all members are zero. Free with kt_visits_free(). */
struct kt_visits {
	struct kt_fsm *fsm;            /* Owned by this; NULL: no machine was given */
	struct kt_visited_word *words; /* Owned by this */
	size_t n_words;
	size_t words_capacity;
	struct kt_visit *visits; /* Owned by this */
	size_t n;
	size_t capacity;
};

/* Reads the machine in a file. KT_E_USAGE, KT_E_IO, KT_E_MALFORMED, KT_E_MEMORY. */
int kt_visits_open(struct kt_visits *out, const char *path);

/*
 * Reads the trace `path`, which must be the timeline's current trace, and follows its words
 * through the machine. Fails as kt_placement_make() does. O(letters log events).
 */
int kt_visits_read(struct kt_visits *visits, const struct kt_timeline_events *events,
		   const char *machine, const char *path, enum kt_source source,
		   const struct kt_trace_filter *part);

void kt_visits_free(struct kt_visits *visits);

#endif
