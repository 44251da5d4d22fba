/* SPDX-License-Identifier: MIT */
/*
 * Places the letters of a trace in a machine: finds the transition that each of them
 * takes. Words are read with the machine's own alphabet and word unit, so an event may
 * give no letter, one, or with an alphabet of commands several.
 *
 * Words are placed as `ktail check` reads them: a word whose beginning is known is read
 * from the start of the machine. A word whose beginning is cut is read from all states,
 * and its letters are placed once one state is left. The first letter that does not fit
 * and all letters after it are not placed.
 */
#ifndef KTAIL_ANNOTATE_PLACEMENT_H
#define KTAIL_ANNOTATE_PLACEMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <ktail/fsm.h>

#include "infer/words/read/trace.h"

#define KT_UNPLACED UINT32_MAX

/* A letter of the trace. */
struct kt_placed {
	uint64_t instance;   /* process instance, as kt_event.process */
	uint64_t seq;        /* of the event that gave it */
	uint64_t word;       /* index of its word: kt_placement_word() */
	uint64_t position;   /* in the word, from 0 */
	uint32_t letter;     /* index in the machine's letters, or KT_UNPLACED */
	uint32_t transition; /* index in the machine's transitions, or KT_UNPLACED */
	uint64_t time;       /* ns since the first event of the trace */
	uint64_t gap; /* ns since the previous letter of the word; UINT64_MAX: none */
};

struct kt_placed_word {
	const char *name; /* Weak: owned by the placement */
	uint64_t instance;
	uint64_t letters;
	uint64_t placed;
	uint64_t fitting; /* letters that fit, from its beginning: all if it fits */
	uint64_t lost;
	bool cut_begin;
	bool cut_end;
};

typedef struct kt_placement kt_placement;

/*
 * Places the letters that `part` selects of the trace in a folder; processes recorded by
 * both sources are read from `source`. `fsm` is borrowed during the call, `machine` is its
 * name for messages. The caller owns *out. KT_E_USAGE if the machine was not inferred from
 * traces (no alphabet or no word unit) or is not deterministic; KT_E_EMPTY if the trace
 * has no gpu_stack event; otherwise fails as kt_trace_open() does. O(letters), expected,
 * if words are processes, else O(letters log letters); about 100 bytes per letter, plus
 * the events that the trace keeps.
 */
int kt_placement_make(struct kt_placement **out, const struct kt_fsm *fsm,
		      const char *machine, const char *path,
		      const struct kt_letter_filter *filter, enum kt_source source,
		      const struct kt_trace_filter *part);

/* NULL is allowed. */
void kt_placement_free(struct kt_placement *placement);

/*
 * Returns the *n letters that an event gave, in order, or NULL if it gave none. They
 * belong to the placement. O(log letters).
 */
const struct kt_placed *kt_placement_find(const struct kt_placement *placement,
					  uint64_t instance, uint64_t seq, size_t *n);

/* Returns all letters, ordered by process instance, seq, word and position. */
const struct kt_placed *kt_placement_letters(const struct kt_placement *placement,
					     size_t *n);

/* Returns the number of letters that are not placed, for any reason. */
uint64_t kt_placement_unplaced(const struct kt_placement *placement);

/*
 * Return the number of words and the i-th word (see kt_placed.word), NULL if there is
 * none.
 */
size_t kt_placement_words(const struct kt_placement *placement);
const struct kt_placed_word *kt_placement_word(const struct kt_placement *placement,
					       size_t i);

/* Returns the open trace, which keeps kt_annotate_events and belongs to the placement. */
const kt_trace *kt_placement_trace(const kt_placement *placement);

/* Returns the report on the trace. */
const struct kt_trace_report *kt_placement_report(const struct kt_placement *placement);

#endif
