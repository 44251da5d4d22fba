/* SPDX-License-Identifier: MIT */
/*
 * Folding classes until no state has two transitions with one letter.
 *
 * States are sets of classes in a union-find. A class has at most one transition of its own
 * (its first target and its letter); a state's transitions are those of its classes, one a
 * letter, in a list that begins at the set's root. When two sets become one and both have a
 * transition with some letter, one of the two is dropped, its count added to the other, and
 * their targets are to be one as well.
 */
#ifndef KTAIL_ENGINE_DETERMINISE_H
#define KTAIL_ENGINE_DETERMINISE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "infer/engine/quotient.h"
#include "infer/engine/text.h"

#define KT_FOLD_NONE       UINT32_MAX
#define KT_FOLD_ROOT       0x80000000u
#define KT_FOLD_UNNUMBERED 0x7fffffffu

struct kt_fold_pair {
	uint32_t a;
	uint32_t b;
};

struct kt_fold {
	uint32_t n;       /* classes */
	uint32_t *parent; /* Owned by this; at a root: KT_FOLD_ROOT and how many transitions
			   */
	uint32_t *target; /* Owned by this; a class, or KT_FOLD_NONE: no transition */
	uint32_t *letter; /* Owned by this; rank of the transition's letter */
	uint32_t *count;  /* Owned by this; how often it was taken, 0 for a dropped one */
	uint32_t *next;   /* Owned by this; the list of the set, KT_FOLD_NONE ends it */

	struct kt_fold_pair *pending; /* Owned by this: still to be united */
	size_t n_pending;
	size_t pending_capacity;

	uint32_t *table; /* Owned by this: transitions of large sets, hashed by root and
			    letter */
	size_t n_slots;
	size_t n_used;
};

/*
 * Folds the classes. O(positions + classes log classes), expected; 20 bytes a class, and up
 * to 12 more for sets with many letters.
 */
int kt_fold_determinise(struct kt_fold *fold, const struct kt_quotient *quotient,
			const struct kt_text *text);

void kt_fold_clear(struct kt_fold *fold);

/* The root of the class's set: the state it became part of. Amortised O(log classes). */
uint32_t kt_fold_find(struct kt_fold *fold, uint32_t class);

/* Whether class has a transition that stands for its letter in its state. */
static inline bool kt_fold_has_transition(const struct kt_fold *fold, uint32_t class)
{
	return fold->target[class] != KT_FOLD_NONE && fold->count[class] != 0;
}

/*
 * When all is folded, roots need not know any more how many transitions they have, and can
 * carry a number instead, at first KT_FOLD_UNNUMBERED. O(classes).
 */
void kt_fold_forget_degrees(struct kt_fold *fold);

static inline uint32_t kt_fold_number(const struct kt_fold *fold, uint32_t root)
{
	return fold->parent[root] & ~KT_FOLD_ROOT;
}

static inline void kt_fold_set_number(struct kt_fold *fold, uint32_t root, uint32_t number)
{
	fold->parent[root] = KT_FOLD_ROOT | number;
}

#endif
