/* SPDX-License-Identifier: MIT */
/* What pairs.c and pair-objects.c share. */
#ifndef KTAIL_ANNOTATE_PAIR_LIFE_H
#define KTAIL_ANNOTATE_PAIR_LIFE_H

#include "annotate/pairs/pairs.h"

/* One life of a process, while its trace is read: things by what they are known by. */
struct kt_pair_life {
	struct kt_number_map known[KT_THING_GROUPS]; /* id -> index */
	bool inherits; /* another process that was recorded made it */
};

/* The life of a moment; process_begin has made it. */
static inline struct kt_pair_life *kt_pair_life_of(const struct kt_pairs *pairs,
						   const struct kt_moment *moment)
{
	return pairs->reading[moment->life];
}

/* Something was set up; one that had its id is replaced. *out, if not NULL: its index. */
int kt_pairs_up(struct kt_pairs *pairs, const struct kt_moment *moment,
		const struct kt_thing *thing, size_t *out);

/* The thing of an id that was there last, or KT_NOWHERE. */
size_t kt_pairs_find(const struct kt_pairs *pairs, const struct kt_moment *moment,
		     enum kt_thing_group group, uint64_t id);

/* It is taken down now. KT_E_MEMORY. */
int kt_pairs_down(struct kt_pairs *pairs, const struct kt_moment *moment, size_t index,
		  enum kt_thing_end end);

/* Something was taken down that is not there; known: it had been, once. */
int kt_pairs_miss(struct kt_pairs *pairs, const struct kt_moment *moment,
		  enum kt_thing_group group, uint64_t id);

/* Events `object`, and the ioctls that free. */
int kt_pairs_object(void *pairs, const struct kt_moment *moment,
		    const struct kt_object_fields *fields);
int kt_pairs_ioctl(void *pairs, const struct kt_moment *moment, const struct kt_call *call);

#endif
