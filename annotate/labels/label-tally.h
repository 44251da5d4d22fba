/* SPDX-License-Identifier: MIT */
/*
 * What is counted of letters that have their labels: by transition, by the state it leads
 * to, and of all together.
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

/* Owners: transitions, by index; then states; then all. */
struct kt_label_tally {
	const struct kt_fsm *fsm; /* Weak */
	kt_counts *labels;        /* Owned by this, as all of them */
	kt_counts *calls;
	kt_counts *details;
	kt_counts *submissions;
	struct kt_times times; /* of transitions */
	struct kt_evidence evidence;
	uint64_t *letters; /* Owned by this: placed, by transition */
	uint64_t placed;
	uint64_t unplaced;
	uint64_t unlabelled; /* of those placed */
	struct kt_label_seen {
		const char *label; /* Weak: of labelled */
		enum kt_label_role role;
	} * seen; /* Owned by this: what labels there are */
	size_t n_seen;
	size_t seen_capacity;
};

/* What became of a letter. Texts may be NULL or "": there is none; the label lives as long
 * as the tally. */
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

/* All zero before; freed by the caller, also on failure. KT_E_MEMORY. */
int kt_label_tally_make(struct kt_label_tally *out, const struct kt_fsm *fsm, size_t most);
int kt_label_tally_add(struct kt_label_tally *tally, const struct kt_labelled *labelled);
/* After the last letter. KT_E_MEMORY. */
int kt_label_tally_sort(struct kt_label_tally *tally);
void kt_label_tally_free(struct kt_label_tally *tally);

/* The owner of what leads into a state; of all letters. */
uint32_t kt_label_tally_state(const struct kt_label_tally *tally, size_t state);
uint32_t kt_label_tally_all(const struct kt_label_tally *tally);

/* The role of a label that was seen; KT_LABEL_OTHER of another. */
enum kt_label_role kt_label_tally_role(const struct kt_label_tally *tally,
				       const char *label);

#endif
