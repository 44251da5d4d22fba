/* SPDX-License-Identifier: MIT */
/*
 * Short sequences of letters that one machine can do somewhere and the other one nowhere:
 * where languages part for good after one difference, these still name it.
 */
#ifndef KTAIL_ENGINE_SEQUENCES_H
#define KTAIL_ENGINE_SEQUENCES_H

#include <ktail/diff.h>

#include "infer/compare/joint.h"

struct kt_sequences {
	struct kt_diff_sequence
		*list; /* Owned by this; old ones first, then as in diff.h */
	size_t n;
	size_t capacity;
};

/*
 * Lists all sequences of up to KT_DIFF_SEQUENCE_MAX letters that can be read from some
 * state of one machine, from none of the other, and are not longer than need be. Lengths of
 * which a machine has more than 2,000,000 are left out. On failure *out needs no clearing.
 * O(n log n) in the sequences of all states.
 */
int kt_sequences_init(struct kt_sequences *out, const struct kt_joint *joint);

/* Does nothing on a zeroed one. */
void kt_sequences_clear(struct kt_sequences *sequences);

#endif
