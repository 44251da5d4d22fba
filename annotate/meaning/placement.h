/* SPDX-License-Identifier: MIT */
/*
 * The letters of a trace placed in a machine: which transition each of them takes. The
 * words are read with the machine's own alphabet and unit of words, whichever these are; so
 * an event may give no letter, one, or with an alphabet of commands several.
 *
 * Words are placed as `ktail check` reads them: one whose beginning is known from the start
 * of the machine; one whose beginning is cut is in any state first, and its letters are
 * placed from where only one state is left. From the first letter on that does not fit,
 * the rest of the word is not placed.
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
	uint64_t instance;   /* of its process: kt_event.process */
	uint64_t seq;        /* of the event that gave it */
	uint64_t word;       /* see kt_placement_word() */
	uint64_t position;   /* in the word, from 0 */
	uint32_t letter;     /* index in the machine's letters; KT_UNPLACED: it has none */
	uint32_t transition; /* index in the machine's transitions; or KT_UNPLACED */
	uint64_t time;       /* ns since the first event of the trace */
	uint64_t gap; /* ns since the letter before in the word; UINT64_MAX: the first */
};

struct kt_placed_word {
	const char *name; /* Weak: the placement's */
	uint64_t instance;
	uint64_t letters;
	uint64_t placed;
	uint64_t fitting; /* letters that fit, from its beginning on: all, if it fits */
	uint64_t lost;
	bool cut_begin;
	bool cut_end;
};

typedef struct kt_placement kt_placement;

/*
 * Places the trace in a folder, or what `part` takes of it; `source` is of processes that
 * both sides tell of. `fsm` is
 * borrowed while this goes on. The caller owns *out. KT_E_USAGE if the machine was not
 * inferred from traces (no alphabet, no unit of words), or is not deterministic; fails else
 * as kt_trace_open() does, KT_E_EMPTY if the trace has no event of ours. O(letters) in
 * time, expected, where words are processes, else O(letters log letters); about 100 bytes a
 * letter, and the events that the trace keeps.
 */
int kt_placement_make(struct kt_placement **out, const struct kt_fsm *fsm,
		      const char *machine, const char *path,
		      const struct kt_letter_filter *filter, enum kt_source source,
		      const struct kt_trace_filter *part);

/* NULL is allowed. */
void kt_placement_free(struct kt_placement *placement);

/*
 * The letters that an event gave, in order: *n of them; NULL and 0 if it gave none. They
 * belong to the placement. O(log letters).
 */
const struct kt_placed *kt_placement_find(const struct kt_placement *placement,
					  uint64_t instance, uint64_t seq, size_t *n);

/* All letters: ascending by life, then by seq, then by word and position. */
const struct kt_placed *kt_placement_letters(const struct kt_placement *placement,
					     size_t *n);

/* Those that are not placed, whatever the reason. */
uint64_t kt_placement_unplaced(const struct kt_placement *placement);

/* The words, in order of kt_placed.word. */
size_t kt_placement_words(const struct kt_placement *placement);
const struct kt_placed_word *kt_placement_word(const struct kt_placement *placement,
					       size_t i);

/* The placement's: the trace, open, with the events of kt_annotate_events. */
const kt_trace *kt_placement_trace(const kt_placement *placement);

/* What is to be said about the trace. */
const struct kt_trace_report *kt_placement_report(const struct kt_placement *placement);

#endif
