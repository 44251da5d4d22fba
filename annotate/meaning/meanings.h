/* SPDX-License-Identifier: MIT */
/*
 * The label and role of each letter of a trace. The part `labels` sets them in any order
 * while the trace is read; later parts read them at its end.
 */
#ifndef KTAIL_ANNOTATE_MEANINGS_H
#define KTAIL_ANNOTATE_MEANINGS_H

#include <stddef.h>
#include <stdint.h>

#include "annotate/meaning/label-role.h"
#include "annotate/meaning/placement.h"
#include "base/texts.h"

#define KT_NO_LABEL UINT32_MAX

struct kt_meaning {
	uint32_t label; /* number of its text; KT_NO_LABEL: no rule matches */
	enum kt_label_role role;
};

/* All zero: no trace. Free with kt_meanings_free(). */
struct kt_meanings {
	struct kt_texts labels;     /* of all traces */
	struct kt_meaning *letters; /* Owned by this: parallel to `placed` */
	size_t n;
	const struct kt_placed *placed; /* Weak: kt_placement_letters() */
};

/* Begins a trace, whose letters have no label yet. KT_E_MEMORY. */
int kt_meanings_begin(struct kt_meanings *meanings, const kt_placement *placement);

/*
 * Sets label and role of a letter in the trace's placement; `label` may be NULL.
 * KT_E_MEMORY.
 */
int kt_meanings_set(struct kt_meanings *meanings, const struct kt_placed *placed,
		    const char *label, enum kt_label_role role);

/* Ends the trace. */
void kt_meanings_end(struct kt_meanings *meanings);

void kt_meanings_free(struct kt_meanings *meanings);

#endif
