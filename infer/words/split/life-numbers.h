/* SPDX-License-Identifier: MIT */
/*
 * The sequence numbers that one life of a process has had, as its events arrive, and so
 * whether the next event of that pid is of the same life. All readers of traces tell lives
 * apart by this, so they number them alike.
 */
#ifndef KTAIL_WORDS_LIFE_NUMBERS_H
#define KTAIL_WORDS_LIFE_NUMBERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "infer/words/split/collect.h"

/* Sequence numbers from..to-1 that have not arrived yet. */
struct kt_hole {
	uint64_t from;
	uint64_t to;
};

/* All zero: no event has come. */
struct kt_life_numbers {
	bool begun;            /* it has had an event */
	bool ended;            /* the highest so far is that of a process_end */
	bool unsorted;         /* one came behind a higher one */
	uint64_t first;        /* of the first arrival */
	uint64_t next;         /* the highest + 1 */
	struct kt_hole *holes; /* Owned by this; ascending */
	size_t n_holes;
	size_t holes_capacity;
};

/*
 * The number of an event: its own, or, where events have none, one that counts on. Without
 * a life so far (NULL) a beginning that is not seen must not look like one.
 */
uint64_t kt_life_number(const struct kt_life_numbers *life, const struct kt_origin *origin,
			uint64_t seq, enum kt_event_kind kind);

/*
 * Takes the next event in. *fits is false if it is of another life with the same pid, and
 * then nothing changes: process_begin with number 0 begins one, always; a number that was
 * there already is of one whose beginning was lost, and so is one from before the first
 * event once the life has ended. KT_E_MEMORY with a message. O(log holes), and O(holes)
 * where one is split or filled.
 */
int kt_life_numbers_take(struct kt_life_numbers *life, uint64_t seq,
			 enum kt_event_kind kind, bool *fits);

/* Frees what it owns. */
void kt_life_numbers_free(struct kt_life_numbers *life);

#endif
