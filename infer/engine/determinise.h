/* SPDX-License-Identifier: MIT */
/*
 * Merges classes until no state has two transitions with the same letter.
 *
 * States are sets of classes in a union-find. A class has at most one transition of its own
 * (its first target and its letter). The transitions of a state are those of its classes,
 * one per letter, in a list that begins at the root of the set.
 *
 * When two sets are merged and both have a transition with the same letter, one transition
 * is dropped, its count is added to the other transition, and their targets are merged as
 * well. The sizes of the machine are kept up to date throughout.
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
	uint32_t *parent; /* Owned by this: the parent class; at a root, KT_FOLD_ROOT with
			   * the number of transitions or, once the state is numbered,
			   * KT_FOLD_ROOT and KT_FOLD_NUMBERED with the state's number */
	uint32_t *target; /* Owned by this; the target class, or KT_FOLD_NONE: no
			   * transition */
	uint32_t *letter; /* Owned by this; rank (text.h) of the transition's letter */
	uint32_t *count;  /* Owned by this; how often the transition was taken, 0 if
			   * dropped */
	uint32_t *next;   /* Owned by this; the next class of the set that has a transition;
			   * the list begins at the root and ends with KT_FOLD_NONE */
	uint32_t *in;     /* Owned by this; at a root: number of incoming transitions */

	size_t n_states;
	size_t n_transitions;
	size_t n_complex; /* states with more than one incoming or outgoing transition */

	struct kt_pair *pending; /* Owned by this: pairs still to be merged */
	size_t n_pending;
	size_t pending_capacity;

	struct kt_hash_index table; /* transitions of large sets, by root and letter */
};

/*
 * Begins a fold of n classes without transitions. Add all transitions next; then
 * kt_fold_settle() makes a state of each class, and merging can begin. Takes 24 bytes per
 * class, or up to 72 if sets have many letters.
 */
int kt_fold_begin(struct kt_fold *fold, uint32_t n);

/*
 * Adds a transition that was taken `count` times. All transitions of a class have the same
 * letter. Only the first target of a class is kept: the caller merges the other targets
 * with it after kt_fold_settle().
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
 * Merges the states of two classes, and all states that must then be merged to keep the
 * machine deterministic. All merges together take O(classes log classes), expected.
 */
int kt_fold_merge(struct kt_fold *fold, uint32_t a, uint32_t b);

void kt_fold_clear(struct kt_fold *fold);

/* Returns the root of the set that contains the class. Amortised O(log classes). */
uint32_t kt_fold_find(struct kt_fold *fold, uint32_t class);

/*
 * Returns whether the class still has a transition. When two transitions of a state have
 * the same letter, one of them is dropped.
 */
static inline bool kt_fold_has_transition(const struct kt_fold *fold, uint32_t class)
{
	return fold->target[class] != KT_FOLD_NONE && fold->count[class] != 0;
}

/*
 * A root can hold a state number in place of the number of its transitions. Before the
 * next merge, kt_fold_set_degree() must restore the number of transitions.
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
 * The partitions by k-tails for every k of a range. They are nested: classes that are equal
 * for some k are equal for every smaller k. The classes of the largest k therefore suffice,
 * together with the pairs that merge at smaller k. The level of a pair is the largest k for
 * which its two classes are equal.
 *
 * The list of pairs is built in two rounds: count each pair, allocate, then put each pair.
 */

struct kt_pair {
	uint32_t a;
	uint32_t b;
};

struct kt_levels {
	uint64_t lo;           /* the smallest k requested */
	uint64_t hi;           /* the largest k; higher levels of pairs count as hi */
	struct kt_pair *pairs; /* Owned by this: sorted by descending level */
	size_t *until;         /* Owned by this: until[k - lo] pairs have level k or more */
};

/* Sets the range and zeroes all other members. O(hi - lo). */
int kt_levels_begin(struct kt_levels *levels, uint64_t lo, uint64_t hi);

/* Allocates space for all counted pairs. */
int kt_levels_allocate(struct kt_levels *levels);

/* Returns how many pairs were counted; call before kt_levels_allocate(). O(hi - lo). */
size_t kt_levels_counted(const struct kt_levels *levels);

/*
 * Takes ownership of pairs, instead of kt_levels_allocate() and kt_levels_put(). The pairs
 * must match the counts and be sorted by descending level. O(hi - lo).
 */
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

/* Returns how many of the sorted pairs are merged for k. */
static inline size_t kt_levels_until(const struct kt_levels *levels, uint64_t k)
{
	return levels->until[k - levels->lo];
}

#endif
