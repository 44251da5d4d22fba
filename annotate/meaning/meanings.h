/* SPDX-License-Identifier: MIT */
/*
 * The label and role of each letter of a trace, one by one: the part `labels` sets them
 * while the trace is read, in any order; parts after it read them when it ends.
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
	uint32_t label; /* number of its text; KT_NO_LABEL: no rule speaks of it */
	enum kt_label_role role;
};

/* All zero: of no trace. */
struct kt_meanings {
	struct kt_texts labels;     /* of all traces */
	struct kt_meaning *letters; /* Owned by this: as kt_placement_letters() */
	size_t n;
	const struct kt_placed *placed; /* Weak: the trace's letters */
};

/* Begins a trace: no letter has a label. KT_E_MEMORY. */
int kt_meanings_begin(struct kt_meanings *meanings, const kt_placement *placement);

/* Sets those of a letter of the trace, of its placement. label: NULL: none. KT_E_MEMORY. */
int kt_meanings_set(struct kt_meanings *meanings, const struct kt_placed *placed,
		    const char *label, enum kt_label_role role);

/* The trace is over. */
void kt_meanings_end(struct kt_meanings *meanings);

void kt_meanings_free(struct kt_meanings *meanings);

#endif
