/* SPDX-License-Identifier: MIT */
/* Each letter with the label that rules gave it, kept to be written as a table. */
#ifndef KTAIL_ANNOTATE_OCCURRENCES_H
#define KTAIL_ANNOTATE_OCCURRENCES_H

#include <stddef.h>
#include <stdio.h>

#include "annotate/labels/label-tally.h"

struct kt_occurrence {
	struct kt_placed placed;
	size_t trace; /* index */
	size_t label; /* index in labels; SIZE_MAX: no rule fits */
};

/* All zero: none. */
struct kt_occurrences {
	struct kt_occurrence *list; /* Owned by this: as they came */
	size_t n;
	size_t capacity;
	char **labels; /* Owned by this: those that there are */
	size_t n_labels;
	size_t labels_capacity;
};

/* KT_E_MEMORY. Amortised O(labels that there are). */
int kt_occurrences_add(struct kt_occurrences *occurrences,
		       const struct kt_labelled *labelled);

void kt_occurrences_free(struct kt_occurrences *occurrences);

/*
 * Writes tab-separated columns under a header: trace (its path), process (which life of
 * which process, from 0), seq (of the event in it), time (ns since the trace's first
 * event), letter, transition (index), label; "-" where there is none. By trace, life,
 * number, word and place in it. KT_E_MEMORY.
 */
int kt_occurrences_write(FILE *out, const struct kt_occurrences *occurrences,
			 const struct kt_fsm *fsm, const char *const *paths);

#endif
