/* SPDX-License-Identifier: MIT */
/*
 * Places the letters of a trace in a machine: finds the transition that each letter takes.
 * Words are read with the machine's alphabet and word unit. An event may therefore give no
 * letter, one letter, or, in an alphabet of commands, several letters.
 *
 * Words are read as by `ktail check`. A word whose beginning is known is read from the
 * start of the machine. A word whose beginning is truncated is read from all states at
 * once; its letters are placed as soon as only one state remains possible. The first letter
 * that does not fit is not placed, nor are the letters after it.
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
	uint64_t instance;   /* ordinal, from kt_event.process */
	uint64_t seq;        /* sequence number of the event that gave the letter */
	uint64_t word;       /* index for kt_placement_word() */
	uint64_t position;   /* position in the word, from 0 */
	uint32_t letter;     /* index in the machine's letters, or KT_UNPLACED */
	uint32_t transition; /* index in the machine's transitions, or KT_UNPLACED */
	uint64_t time;       /* ns since the first event of the trace */
	uint64_t gap; /* ns since the previous letter of the word; UINT64_MAX: first letter
		       */
};

struct kt_placed_word {
	const char *name; /* Weak: owned by the placement */
	uint64_t instance;
	uint64_t letters; /* number of letters */
	uint64_t placed;  /* number of letters that were placed */
	uint64_t fitting; /* number of letters before the first that does not fit */
	uint64_t lost;    /* events known to be missing before or within the word */
	bool cut_begin;   /* the beginning of the word is unknown */
	bool cut_end;     /* the end of the word is unknown */
};

typedef struct kt_placement kt_placement;

/*
 * Places letters of the trace in the folder `path`: those that `part` selects, or all if
 * `part` is NULL. Processes that both sources recorded are read from `source`. `filter`,
 * unless NULL, replaces the machine's filter of letters. `fsm` is borrowed during the call;
 * `machine` is the name of the machine in messages. The caller owns *out.
 *
 * KT_E_USAGE if the machine was not inferred from traces (no alphabet or no word unit) or
 * is not deterministic; KT_E_EMPTY if the trace has no gpu_stack event; otherwise fails as
 * kt_trace_open() does. O(letters), expected, if words are processes; otherwise O(letters
 * log letters). Memory: about 100 bytes per letter, plus the events that the trace keeps.
 */
int kt_placement_make(struct kt_placement **out, const struct kt_fsm *fsm,
		      const char *machine, const char *path,
		      const struct kt_letter_filter *filter, enum kt_source source,
		      const struct kt_trace_filter *part);

/*
 * Like kt_placement_make(), for a trace that is open and keeps the events of
 * kt_annotate_events; its words must have been read with the machine's alphabet and word
 * unit. The trace must outlive *out.
 */
int kt_placement_of(struct kt_placement **out, const struct kt_fsm *fsm,
		    const kt_trace *trace);

/* NULL is allowed. */
void kt_placement_free(struct kt_placement *placement);

/*
 * Returns the letters that an event gave, in order of word and position, and sets *n to
 * their number; NULL if the event gave no letter. The placement owns them. O(log letters).
 */
const struct kt_placed *kt_placement_find(const struct kt_placement *placement,
					  uint64_t instance, uint64_t seq, size_t *n);

/*
 * Returns all letters, ordered by process instance, seq, word and position, and sets *n to
 * their number. The placement owns them.
 */
const struct kt_placed *kt_placement_letters(const struct kt_placement *placement,
					     size_t *n);

/* Returns the number of letters that are not placed. */
uint64_t kt_placement_unplaced(const struct kt_placement *placement);

/*
 * Return the number of words, and the word with index i (see kt_placed.word) or NULL if i
 * is too large.
 */
size_t kt_placement_words(const struct kt_placement *placement);
const struct kt_placed_word *kt_placement_word(const struct kt_placement *placement,
					       size_t i);

/* Returns the trace, which keeps the events of kt_annotate_events. Valid as long as
 * *placement. */
const kt_trace *kt_placement_trace(const kt_placement *placement);

/* Returns the report on the trace; valid as long as *placement. */
const struct kt_trace_report *kt_placement_report(const struct kt_placement *placement);

#endif
