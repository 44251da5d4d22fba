/* SPDX-License-Identifier: MIT */
#include "annotate/labels/label-tally.h"

#include <stdlib.h>
#include <string.h>

#include <ktail/status.h>

#include "base/array.h"
#include "base/try.h"

uint32_t kt_label_tally_state(const struct kt_label_tally *tally, size_t state)
{
	return (uint32_t)(tally->fsm->n_transitions + state);
}

uint32_t kt_label_tally_all(const struct kt_label_tally *tally)
{
	return kt_label_tally_state(tally, tally->fsm->n_states);
}

int kt_label_tally_make(struct kt_label_tally *out, const struct kt_fsm *fsm, size_t most)
{
	out->fsm = fsm;
	out->letters = calloc(fsm->n_transitions + 1, sizeof(*out->letters));
	if (!out->letters) {
		return kt_no_memory("count labels");
	}
	KT_TRY(kt_counts_new(&out->labels));
	KT_TRY(kt_counts_new(&out->calls));
	KT_TRY(kt_counts_new(&out->details));
	KT_TRY(kt_counts_new(&out->submissions));
	return kt_evidence_make(&out->evidence, fsm->n_transitions + fsm->n_states, most);
}

void kt_label_tally_free(struct kt_label_tally *tally)
{
	kt_counts_free(tally->labels);
	kt_counts_free(tally->calls);
	kt_counts_free(tally->details);
	kt_counts_free(tally->submissions);
	kt_times_free(&tally->times);
	kt_evidence_free(&tally->evidence);
	free(tally->seen);
	free(tally->letters);
	memset(tally, 0, sizeof(*tally));
}

static const struct kt_label_seen *find_seen(const struct kt_label_tally *tally,
					     const char *label)
{
	for (size_t i = 0; i < tally->n_seen; i++) {
		if (strcmp(tally->seen[i].label, label) == 0) {
			return &tally->seen[i];
		}
	}
	return NULL;
}

enum kt_label_role kt_label_tally_role(const struct kt_label_tally *tally,
				       const char *label)
{
	const struct kt_label_seen *seen = find_seen(tally, label);

	return seen ? seen->role : KT_LABEL_OTHER;
}

/* Counts a text for the transition and its target state. */
static int count(const struct kt_label_tally *tally, kt_counts *counts, uint32_t transition,
		 const char *text)
{
	uint32_t state =
		kt_label_tally_state(tally, tally->fsm->transitions[transition].to);

	if (!text || !text[0]) {
		return KT_OK;
	}
	KT_TRY(kt_counts_add(counts, transition, text, 1));
	return kt_counts_add(counts, state, text, 1);
}

static int give_example(struct kt_label_tally *tally, const struct kt_labelled *labelled,
			uint32_t owner)
{
	const struct kt_example example = {.owner = owner,
					   .trace = labelled->trace,
					   .seq = labelled->placed->seq,
					   .time = labelled->placed->time};

	return kt_evidence_add(&tally->evidence, &example, labelled->process);
}

int kt_label_tally_add(struct kt_label_tally *tally, const struct kt_labelled *labelled)
{
	const struct kt_placed *placed = labelled->placed;
	const char *label = labelled->label;
	uint32_t t = placed->transition;

	if (t == KT_UNPLACED) {
		tally->unplaced++;
		return KT_OK;
	}
	tally->placed++;
	tally->letters[t]++;
	tally->unlabelled += !label;
	/* A label has the role of its first occurrence. */
	if (label && !find_seen(tally, label)) {
		KT_TRY(kt_array_reserve(&tally->seen, &tally->seen_capacity,
					tally->n_seen + 1));
		tally->seen[tally->n_seen++] =
			(struct kt_label_seen){label, labelled->role};
	}
	if (label) {
		KT_TRY(count(tally, tally->labels, t, label));
		KT_TRY(kt_counts_add(tally->labels, kt_label_tally_all(tally), label, 1));
	}
	KT_TRY(count(tally, tally->calls, t, labelled->call));
	KT_TRY(count(tally, tally->details, t, labelled->detail));
	KT_TRY(count(tally, tally->submissions, t, labelled->submission));
	if (placed->gap != UINT64_MAX) {
		KT_TRY(kt_times_add(&tally->times, t, placed->gap));
	}
	KT_TRY(give_example(tally, labelled, t));
	return give_example(tally, labelled,
			    kt_label_tally_state(tally, tally->fsm->transitions[t].to));
}

int kt_label_tally_sort(struct kt_label_tally *tally)
{
	KT_TRY(kt_counts_sort(tally->labels));
	KT_TRY(kt_counts_sort(tally->calls));
	KT_TRY(kt_counts_sort(tally->details));
	KT_TRY(kt_counts_sort(tally->submissions));
	kt_times_sort(&tally->times);
	kt_evidence_sort(&tally->evidence);
	return KT_OK;
}
