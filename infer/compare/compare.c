/* SPDX-License-Identifier: MIT */
#include <ktail/compare.h>

#include <stdlib.h>
#include <string.h>

#include "base/try.h"
#include "infer/compare/comparison.h"
#include "infer/compare/equate.h"

int kt_compare_equal(bool *out, const struct kt_fsm *old_machine,
		     const struct kt_fsm *new_machine)
{
	struct kt_joint joint;
	int code;

	KT_TRY(kt_joint_init(&joint, old_machine, new_machine));
	code = kt_equate(out, &joint);
	kt_joint_clear(&joint);
	return code;
}

/* A language is within the other iff its machine has no diverging transition. */
static enum kt_answer judge_inclusion(uint64_t n_ways, bool complete)
{
	if (n_ways > 0) {
		return KT_ANSWER_NO;
	}
	return complete ? KT_ANSWER_YES : KT_ANSWER_UNKNOWN;
}

int kt_compare_new(kt_compare **out, const struct kt_fsm *old_machine,
		   const struct kt_fsm *new_machine,
		   const struct kt_compare_options *options)
{
	const struct kt_compare_options usual = KT_COMPARE_OPTIONS_INIT;
	struct kt_compare *compare = calloc(1, sizeof(*compare));
	struct kt_compare_summary *summary;
	const struct kt_product *product;
	int code;

	*out = NULL;
	if (!compare) {
		return kt_no_memory("compare machines");
	}
	options = options ? options : &usual;
	summary = &compare->summary;
	product = &compare->product;
	KT_TRY_END(kt_joint_init(&compare->joint, old_machine, new_machine));
	KT_TRY_END(kt_equate(&summary->equal, &compare->joint));
	if (!summary->equal) {
		KT_TRY_END(kt_product_init(&compare->product, &compare->joint,
					   options->most_pairs ? options->most_pairs : 1));
	}
	summary->complete = summary->equal || product->complete;
	summary->sure_length = product->sure_length;
	summary->n_pairs = product->n_pairs;
	for (size_t i = 0; i < product->n_ways; i++) {
		summary->n_ways[product->ways[i].side]++;
	}
	summary->old_in_new = judge_inclusion(summary->n_ways[0], summary->complete);
	summary->new_in_old = judge_inclusion(summary->n_ways[1], summary->complete);
	*out = compare;
	return KT_OK;
end:
	kt_compare_free(compare);
	return code;
}

void kt_compare_free(kt_compare *compare)
{
	if (!compare) {
		return;
	}
	kt_product_clear(&compare->product);
	kt_joint_clear(&compare->joint);
	free(compare);
}

const struct kt_compare_summary *kt_compare_summary(const kt_compare *compare)
{
	return &compare->summary;
}

static int check_way(const kt_compare *compare, size_t i)
{
	return i < compare->product.n_ways
		       ? KT_OK
		       : kt_error(KT_E_USAGE,
				  "compare machines: there is no diverging transition %zu",
				  i);
}

int kt_compare_way(struct kt_compare_way *out, const kt_compare *compare, size_t i)
{
	const struct kt_product_way *way;
	const uint32_t *state;

	KT_TRY(check_way(compare, i));
	way = &compare->product.ways[i];
	state = compare->product.pairs[way->pair].state;
	*out = (struct kt_compare_way){
		.side = way->side ? KT_COMPARE_NEW : KT_COMPARE_OLD,
		.transition = way->transition,
		.state = {state[0], state[1]},
		.letter = kt_joint_letter(&compare->joint.side[way->side], way->transition),
		.length = way->length,
	};
	return KT_OK;
}

int kt_compare_ending(uint32_t *letters, const kt_compare *compare, size_t i, uint64_t n)
{
	const struct kt_product_way *way;

	KT_TRY(check_way(compare, i));
	way = &compare->product.ways[i];
	if (n > way->length) {
		return kt_error(KT_E_USAGE, "compare machines: the word is shorter");
	}
	if (n > 0) {
		letters[n - 1] =
			kt_joint_letter(&compare->joint.side[way->side], way->transition);
		kt_product_word(letters, n - 1, &compare->product, way->pair);
	}
	return KT_OK;
}

int kt_compare_word(uint32_t *letters, const kt_compare *compare, size_t i)
{
	KT_TRY(check_way(compare, i));
	return kt_compare_ending(letters, compare, i, compare->product.ways[i].length);
}

const char *kt_compare_letter(const kt_compare *compare, uint32_t letter)
{
	return letter < compare->joint.n_letters ? compare->joint.letters[letter] : NULL;
}

static int compare_names(const void *key, const void *letter)
{
	return strcmp(key, *(const char *const *)letter);
}

uint32_t kt_compare_find_letter(const kt_compare *compare, const char *name)
{
	const char *const *letters = compare->joint.letters;
	const char *const *found =
		compare->joint.n_letters ? bsearch(name, letters, compare->joint.n_letters,
						   sizeof(*letters), compare_names)
					 : NULL;

	return found ? (uint32_t)(found - letters) : UINT32_MAX;
}
