/* SPDX-License-Identifier: MIT */
/*
 * The label and role of each letter of a trace. The part `labels` sets them in any order
 * while the trace is read; later parts read them at the end of the trace.
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
	uint32_t label; /* number in kt_meanings.labels; KT_NO_LABEL: no rule matches */
	enum kt_label_role role;
};

/* All zero: no trace has begun. Free with kt_meanings_free(). */
struct kt_meanings {
	struct kt_texts labels;     /* all labels of all traces */
	struct kt_meaning *letters; /* Owned by this: parallel to `placed` */
	size_t n;
	const struct kt_placed *placed; /* Weak: n letters, from kt_placement_letters() */
};

/* Begins a trace. No letter of the trace has a label yet. KT_E_MEMORY. */
int kt_meanings_begin(struct kt_meanings *meanings, const kt_placement *placement);

/*
 * Sets the label (copied; NULL: none) and role of `placed`, a letter in the placement of the
 * trace. KT_E_MEMORY.
 */
int kt_meanings_set(struct kt_meanings *meanings, const struct kt_placed *placed,
		    const char *label, enum kt_label_role role);

/* Ends the trace: frees everything except the labels. */
void kt_meanings_end(struct kt_meanings *meanings);

void kt_meanings_free(struct kt_meanings *meanings);

#endif
