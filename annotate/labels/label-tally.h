/* SPDX-License-Identifier: MIT */
/*
 * Counts of labelled letters: by transition, by the state that the transition leads to, and
 * in total.
 */
#ifndef KTAIL_ANNOTATE_LABEL_TALLY_H
#define KTAIL_ANNOTATE_LABEL_TALLY_H

#include <stdint.h>

#include <ktail/fsm.h>

#include "annotate/events/times.h"
#include "annotate/meaning/counts.h"
#include "annotate/meaning/evidence.h"
#include "annotate/meaning/label-role.h"
#include "annotate/meaning/placement.h"

/*
 * Each count has an owner. Owners are numbered: first the transitions by index, then the
 * states, then the total.
 */
struct kt_label_tally {
	const struct kt_fsm *fsm; /* Weak */
	kt_counts *labels;        /* Owned by this, like the next three */
	kt_counts *calls;
	kt_counts *details;
	kt_counts *submissions;
	struct kt_times times; /* by transition */
	struct kt_evidence evidence;
	uint64_t *letters; /* Owned by this: placed letters, by transition */
	uint64_t placed;
	uint64_t unplaced;
	uint64_t unlabelled; /* placed letters without a label */
	struct kt_label_seen {
		const char *label; /* Weak: text of a struct kt_labelled */
		enum kt_label_role role;
	} * seen; /* Owned by this: each label once */
	size_t n_seen;
	size_t seen_capacity;
};

/*
 * A letter and its label. `label` is NULL if no rule matches; the text must outlive the
 * tally. `call`, `detail` and `submission` may be NULL or "".
 */
struct kt_labelled {
	const struct kt_placed *placed;
	const char *label;
	enum kt_label_role role;
	const char *call;
	const char *detail;
	const char *submission;
	size_t trace;
	const char *process;
};

/*
 * Creates a tally that keeps at most `most` examples of each state and transition. *out must
 * be all zero; the caller frees it with kt_label_tally_free(), also on failure. KT_E_MEMORY.
 */
int kt_label_tally_make(struct kt_label_tally *out, const struct kt_fsm *fsm, size_t most);
/* Counts a letter. KT_E_MEMORY. */
int kt_label_tally_add(struct kt_label_tally *tally, const struct kt_labelled *labelled);
/* Sorts counts, times and examples; no letter may be added afterwards. KT_E_MEMORY. */
int kt_label_tally_sort(struct kt_label_tally *tally);
void kt_label_tally_free(struct kt_label_tally *tally);

/*
 * Return the number of the owner that stands for `state`, and of the owner that stands for
 * the total.
 */
uint32_t kt_label_tally_state(const struct kt_label_tally *tally, size_t state);
uint32_t kt_label_tally_all(const struct kt_label_tally *tally);

/* Returns the role of a label; KT_LABEL_OTHER if the label was never added. */
enum kt_label_role kt_label_tally_role(const struct kt_label_tally *tally,
				       const char *label);

#endif
