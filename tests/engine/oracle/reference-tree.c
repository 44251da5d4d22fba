/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE /* qsort_r */
/* The reference's prefix tree: built letter by letter, k-tails compared node by node. */
#include "reference-internal.h"

#include <stdlib.h>

/* --- the tree --- */

static uint32_t add_node(struct reference *r)
{
	r->nodes[r->n_states] = (struct reference_node){.child = 0, .sibling = 0};
	return (uint32_t)r->n_states++;
}

/* Returns a node's child by the letter, or adds one; children are sorted by letter. */
static uint32_t step(struct reference *r, uint32_t node, uint32_t letter)
{
	uint32_t *at = &r->nodes[node].child;
	uint32_t added;

	while (*at && r->nodes[*at].letter < letter) {
		at = &r->nodes[*at].sibling;
	}
	if (*at && r->nodes[*at].letter == letter) {
		return *at;
	}
	added = add_node(r);
	r->nodes[added].letter = letter;
	r->nodes[added].sibling = *at;
	*at = added;
	return added;
}

void reference_build_tree(struct reference *r)
{
	size_t n = 1;
	bool begun = false;

	for (size_t i = 0; i < r->n_words; i++) {
		n += r->words[i].n + 1;
	}
	r->nodes = reference_allocate(n, sizeof(*r->nodes));
	add_node(r);
	for (size_t i = 0; i < r->n_words; i++) {
		struct reference_word *word = &r->words[i];

		word->states[0] = word->cut_begin ? add_node(r) : 0;
		for (size_t j = 0; j < word->n; j++) {
			word->states[j + 1] = step(r, word->states[j], word->letters[j]);
		}
		r->nodes[word->states[word->n]].cut_end |= word->cut_end;
		begun |= !word->cut_begin;
	}
	/* If no word begins at the start, the start's k-tail is unknown. */
	r->nodes[0].cut_end |= !begun;
}

/* --- equality of k-tails --- */

static bool is_cut_within(const struct reference *r, uint32_t node, uint64_t k)
{
	if (k == 0) {
		return false;
	}
	if (r->nodes[node].cut_end) {
		return true;
	}
	for (uint32_t c = r->nodes[node].child; c; c = r->nodes[c].sibling) {
		if (is_cut_within(r, c, k - 1)) {
			return true;
		}
	}
	return false;
}

bool reference_tree_tail_is_unknown(const struct reference *r, uint32_t state)
{
	return is_cut_within(r, state, r->k);
}

/* Returns 0 iff a and b have children by the same letters, with equal tails for k - 1. */
static int compare_tails(const struct reference *r, uint32_t a, uint32_t b, uint64_t k)
{
	uint32_t x = r->nodes[a].child;
	uint32_t y = r->nodes[b].child;

	if (k == 0) {
		return 0;
	}
	for (; x && y; x = r->nodes[x].sibling, y = r->nodes[y].sibling) {
		int order;

		if (r->nodes[x].letter != r->nodes[y].letter) {
			return r->nodes[x].letter < r->nodes[y].letter ? -1 : 1;
		}
		order = compare_tails(r, x, y, k - 1);
		if (order != 0) {
			return order;
		}
	}
	return (x != 0) - (y != 0);
}

static int compare_states(const void *a, const void *b, void *reference)
{
	const struct reference *r = reference;

	return compare_tails(r, *(const uint32_t *)a, *(const uint32_t *)b, r->k);
}

void reference_number_tree_tails(struct reference *r)
{
	uint32_t tails = 0;
	size_t n = 0;

	for (uint32_t s = 0; s < r->n_states; s++) {
		if (reference_tree_tail_is_unknown(r, s)) {
			r->tails[s] = tails++;
		} else {
			r->sorted[n++] = s;
		}
	}
	qsort_r(r->sorted, n, sizeof(*r->sorted), compare_states, r);
	for (size_t i = 0; i < n; i++) {
		tails += i == 0 || compare_states(&r->sorted[i - 1], &r->sorted[i], r) != 0;
		r->tails[r->sorted[i]] = tails;
	}
}
