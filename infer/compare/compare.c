/* SPDX-License-Identifier: MIT */
#include <ktail/compare.h>

#include <stdlib.h>
#include <string.h>

#include <ktail/status.h>

#include "base/try.h"
#include "infer/compare/difference.h"

/* --- equality --- */

/*
 * Decides whether two machines have the same language, by Hopcroft and Karp ("A linear
 * algorithm for testing equivalence of finite automata", Cornell TR 71-114, 1971): merges
 * states that the same word leads to. The languages differ if and only if two merged states
 * do not have the same letters. Because all states accept, one machine then reads a word
 * that the other machine cannot read.
 */
struct pair {
	uint32_t state[2];
};

struct search {
	const struct kt_joint *joint; /* Weak */
	/* Owned by this: one for each state, first the old states, then the new ones */
	size_t *parent;
	struct pair *stack; /* Owned by this: merged pairs whose letters are not
			     * yet followed */
	size_t n;
};

static size_t find(size_t *parent, size_t i)
{
	while (parent[i] != i) {
		parent[i] = parent[parent[i]];
		i = parent[i];
	}
	return i;
}

/* Each merge pushes one pair, so the stack never holds more pairs than there are states. */
static void merge_states(struct search *search, uint32_t old, uint32_t new)
{
	size_t n_old = search->joint->machine[0].fsm->n_states;
	size_t a = find(search->parent, old);
	size_t b = find(search->parent, n_old + new);

	if (a != b) {
		search->parent[a < b ? b : a] = a < b ? a : b;
		search->stack[search->n++] = (struct pair){{old, new}};
	}
}

static int equate(bool *out, const struct kt_joint *joint)
{
	const struct kt_fsm *old = joint->machine[0].fsm;
	const struct kt_fsm *new = joint->machine[1].fsm;
	size_t n = old->n_states + new->n_states;
	struct search search = {.joint = joint};
	int code = KT_OK;

	search.parent = calloc(n, sizeof(*search.parent));
	search.stack = calloc(n, sizeof(*search.stack));
	if (!search.parent || !search.stack) {
		code = kt_no_memory("compare machines");
		goto end;
	}
	for (size_t i = 0; i < n; i++) {
		search.parent[i] = i;
	}
	merge_states(&search, old->start, new->start);
	*out = true;
	while (*out && search.n > 0) {
		const uint32_t *state = search.stack[--search.n].state;
		struct kt_joint_step step = kt_joint_begin(joint, state[0], state[1]);

		while (*out && kt_joint_next(joint, &step)) {
			uint32_t to[2];

			*out = kt_joint_both(joint, &step, to);
			if (*out) {
				merge_states(&search, to[0], to[1]);
			}
		}
	}
end:
	free(search.parent);
	free(search.stack);
	return code;
}

int kt_compare_equal(bool *out, const struct kt_fsm *old_machine,
		     const struct kt_fsm *new_machine)
{
	struct kt_joint joint;
	int code;

	KT_TRY(kt_joint_init(&joint, old_machine, new_machine));
	code = equate(out, &joint);
	kt_joint_clear(&joint);
	return code;
}

/*
 * Answers whether the language of a machine with n_ways diverging transitions is included
 * in the language of the other machine. This is the case if and only if no transition
 * diverges. If !complete, more transitions than n_ways may diverge.
 */
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
	KT_TRY_END(equate(&summary->equal, &compare->joint));
	if (!summary->equal) {
		KT_TRY_END(kt_product_init(&compare->product, &compare->joint,
					   options->most_pairs ? options->most_pairs : 1));
	}
	summary->complete = summary->equal || product->complete;
	summary->sure_length = product->sure_length;
	summary->n_pairs = product->n_pairs;
	for (size_t i = 0; i < product->n_ways; i++) {
		summary->n_ways[product->ways[i].version]++;
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
		.version = way->version ? KT_COMPARE_NEW : KT_COMPARE_OLD,
		.transition = way->transition,
		.state = {state[0], state[1]},
		.letter = kt_joint_letter(&compare->joint.machine[way->version],
					  way->transition),
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
		letters[n - 1] = kt_joint_letter(&compare->joint.machine[way->version],
						 way->transition);
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
