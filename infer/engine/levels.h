/* SPDX-License-Identifier: MIT */
/*
 * Partitions of k-tails for every k of a range. They are nested: what is one class for some
 * k is one for every smaller k. So the classes of the largest k say it all, along with
 * pairs of these that become one on the way down, each with its level, the largest k for
 * which the two are one.
 *
 * Made in two rounds: each pair is counted, room is made, each pair is put.
 */
#ifndef KTAIL_ENGINE_LEVELS_H
#define KTAIL_ENGINE_LEVELS_H

#include <stddef.h>
#include <stdint.h>

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

/* Of the classes of the largest k, the pairs that are one for k are the first so many. */
static inline size_t kt_levels_until(const struct kt_levels *levels, uint64_t k)
{
	return levels->until[k - levels->lo];
}

#endif
