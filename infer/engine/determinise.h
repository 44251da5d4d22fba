/* SPDX-License-Identifier: MIT */
/*
 * Folding classes until no state has two transitions with one letter.
 *
 * States are sets of classes in a union-find. A class has at most one transition of its own
 * (its first target and its letter); a state's transitions are those of its classes, one a
 * letter, in a list that begins at the set's root. When two sets become one and both have a
 * transition with some letter, one of the two is dropped, its count added to the other, and
 * their targets are to be one as well. The sizes of the machine are known all along.
 */
#ifndef KTAIL_ENGINE_DETERMINISE_H
#define KTAIL_ENGINE_DETERMINISE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/hash-index.h"

#define KT_FOLD_NONE     UINT32_MAX
#define KT_FOLD_ROOT     0x80000000u
#define KT_FOLD_NUMBERED 0x40000000u

struct kt_fold {
	uint32_t n;       /* classes */
	uint32_t *parent; /* Owned by this; at a root: KT_FOLD_ROOT and how many transitions
			     it has, or KT_FOLD_NUMBERED as well and its number */
	uint32_t *target; /* Owned by this; a class, or KT_FOLD_NONE: no transition */
	uint32_t *letter; /* Owned by this; rank of the transition's letter */
	uint32_t *count;  /* Owned by this; how often it was taken, 0 for a dropped one */
	uint32_t *next;   /* Owned by this; the list of the set, KT_FOLD_NONE ends it */
	uint32_t *in;     /* Owned by this; at a root: transitions that lead to it */

	size_t n_states;
	size_t n_transitions;
	size_t n_complex; /* states with more than one way in or more than one out */

	struct kt_pair *pending; /* Owned by this: still to be united */
	size_t n_pending;
	size_t pending_capacity;

	struct kt_hash_index table; /* transitions of large sets, by root and letter */
};

/*
 * n classes without transitions. Next, all their transitions are added; then
 * kt_fold_settle() makes a state of each class, and what is one is united. 24 bytes a
 * class, and up to 48 more for sets with many letters.
 */
int kt_fold_begin(struct kt_fold *fold, uint32_t n);

/*
 * A transition of a class, `count` times. A class has one letter; where it has several
 * targets, the first is kept and the others are to be united with it after
 * kt_fold_settle().
 */
static inline void kt_fold_add(struct kt_fold *fold, uint32_t class, uint32_t letter,
			       uint32_t target, uint32_t count)
{
	fold->count[class] += count;
	if (fold->target[class] == KT_FOLD_NONE) {
		fold->letter[class] = letter;
		fold->target[class] = target;
	}
}

void kt_fold_settle(struct kt_fold *fold);

/*
 * Makes the states of two classes one, and all that must be one then. All of it together
 * takes O(classes log classes), expected.
 */
int kt_fold_merge(struct kt_fold *fold, uint32_t a, uint32_t b);

void kt_fold_clear(struct kt_fold *fold);

/* The root of the class's set: the state it became part of. Amortised O(log classes). */
uint32_t kt_fold_find(struct kt_fold *fold, uint32_t class);

/* Whether class has a transition that stands for its letter in its state. */
static inline bool kt_fold_has_transition(const struct kt_fold *fold, uint32_t class)
{
	return fold->target[class] != KT_FOLD_NONE && fold->count[class] != 0;
}

/*
 * Roots can carry a number in place of how many transitions they have; before anything is
 * united again, each that has one needs that number of transitions back.
 */
static inline bool kt_fold_is_numbered(const struct kt_fold *fold, uint32_t root)
{
	return fold->parent[root] & KT_FOLD_NUMBERED;
}

static inline uint32_t kt_fold_number(const struct kt_fold *fold, uint32_t root)
{
	return fold->parent[root] & ~(KT_FOLD_ROOT | KT_FOLD_NUMBERED);
}

static inline void kt_fold_set_number(struct kt_fold *fold, uint32_t root, uint32_t number)
{
	fold->parent[root] = KT_FOLD_ROOT | KT_FOLD_NUMBERED | number;
}

static inline void kt_fold_set_degree(struct kt_fold *fold, uint32_t root, uint32_t degree)
{
	fold->parent[root] = KT_FOLD_ROOT | degree;
}

/*
 * Partitions of k-tails for every k of a range. They are nested: what is one class for some
 * k is one for every smaller k. So the classes of the largest k say it all, along with
 * pairs of these that become one on the way down, each with its level, the largest k for
 * which the two are one.
 *
 * Made in two rounds: each pair is counted, room is made, each pair is put.
 */

struct kt_pair {
	uint32_t a;
	uint32_t b;
};

struct kt_levels {
	uint64_t lo;           /* the smallest k asked for */
	uint64_t hi;           /* the largest; levels above it count as hi */
	struct kt_pair *pairs; /* Owned by this: by descending level */
	size_t *until; /* Owned by this: until[k - lo] pairs have the level k or more */
};

/* All zero but the range. O(hi - lo). */
int kt_levels_begin(struct kt_levels *levels, uint64_t lo, uint64_t hi);

/* Room for all pairs that were counted. */
int kt_levels_allocate(struct kt_levels *levels);

/* How many pairs were counted, before there is room for them. O(hi - lo). */
size_t kt_levels_counted(const struct kt_levels *levels);

/* Takes over pairs as they were counted, in descending order of levels. O(hi - lo). */
void kt_levels_take(struct kt_levels *levels, struct kt_pair *pairs);

void kt_levels_clear(struct kt_levels *levels);

static inline void kt_levels_count(struct kt_levels *levels, uint64_t level)
{
	if (level >= levels->lo) {
		level = level > levels->hi ? levels->hi : level;
		levels->until[level - levels->lo]++;
	}
}

static inline void kt_levels_put(struct kt_levels *levels, uint64_t level, uint32_t a,
				 uint32_t b)
{
	if (level >= levels->lo) {
		level = level > levels->hi ? levels->hi : level;
		levels->pairs[levels->until[level - levels->lo]++] = (struct kt_pair){a, b};
	}
}

/* How many of the pairs, which are sorted, are one class for k. */
static inline size_t kt_levels_until(const struct kt_levels *levels, uint64_t k)
{
	return levels->until[k - levels->lo];
}

#endif
