/* SPDX-License-Identifier: MIT */
#include <ktail/diff.h>

#include <stdlib.h>

#include "base/try.h"
#include "infer/compare/comparison.h"
#include "infer/compare/difference.h"
#include "infer/compare/overlay.h"

/* A matching needs the order of common words; of equal machines few pairs will do. */
#define EQUAL_PAIRS_MAX 1000000

static int match(struct kt_diff *diff)
{
	const struct kt_compare *compare = diff->compare;
	struct kt_product product = {0};
	int code;

	if (!compare->summary.equal) {
		return kt_match_init(&diff->match, &compare->joint, &compare->product);
	}
	KT_TRY(kt_product_init(&product, &compare->joint, EQUAL_PAIRS_MAX));
	code = kt_match_init(&diff->match, &compare->joint, &product);
	kt_product_clear(&product);
	return code;
}

static void count(struct kt_diff_counts *counts, enum kt_side side)
{
	counts->kept += side == KT_SIDE_BOTH;
	counts->added += side == KT_SIDE_NEW;
	counts->removed += side == KT_SIDE_OLD;
}

int kt_diff_new(kt_diff **out, const struct kt_fsm *old_machine,
		const struct kt_fsm *new_machine, const struct kt_compare_options *options)
{
	struct kt_diff *diff = calloc(1, sizeof(*diff));
	const struct kt_fsm *fsm;
	int code;

	*out = NULL;
	if (!diff) {
		return kt_no_memory("compare machines");
	}
	KT_TRY_END(kt_compare_new(&diff->compare, old_machine, new_machine, options));
	KT_TRY_END(match(diff));
	KT_TRY_END(
		kt_overlay(&diff->machine, diff->id, &diff->compare->joint, &diff->match));
	KT_TRY_END(kt_sequences_init(&diff->sequences, &diff->compare->joint));
	fsm = diff->machine;
	for (size_t i = 0; i < fsm->n_states; i++) {
		count(&diff->summary.states, fsm->states[i].side);
	}
	for (size_t i = 0; i < fsm->n_transitions; i++) {
		count(&diff->summary.transitions, fsm->transitions[i].side);
	}
	diff->summary.scored = diff->match.scored;
	*out = diff;
	return KT_OK;
end:
	kt_diff_free(diff);
	return code;
}

void kt_diff_free(kt_diff *diff)
{
	if (!diff) {
		return;
	}
	kt_compare_free(diff->compare);
	kt_match_clear(&diff->match);
	kt_sequences_clear(&diff->sequences);
	kt_fsm_free(diff->machine);
	free(diff->id[0]);
	free(diff->id[1]);
	free(diff);
}

const kt_compare *kt_diff_compare(const kt_diff *diff)
{
	return diff->compare;
}

const struct kt_diff_summary *kt_diff_summary(const kt_diff *diff)
{
	return &diff->summary;
}

const struct kt_fsm *kt_diff_machine(const kt_diff *diff)
{
	return diff->machine;
}

const struct kt_diff_sequence *kt_diff_sequences(size_t *n, const kt_diff *diff)
{
	*n = diff->sequences.n;
	return diff->sequences.list;
}

int kt_diff_state(uint32_t *out, const kt_diff *diff, enum kt_compare_side side,
		  uint32_t state)
{
	if (state >= diff->compare->joint.side[side].fsm->n_states) {
		return kt_error(KT_E_USAGE, "compare machines: there is no such state");
	}
	*out = diff->id[side][state];
	return KT_OK;
}
