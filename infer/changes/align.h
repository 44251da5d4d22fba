/* SPDX-License-Identifier: MIT */
/*
 * Aligns two sequences of letters by a shortest edit script, after E. Myers, "An O(ND)
 * Difference Algorithm and Its Variations", Algorithmica 1 (1986).
 */
#ifndef KTAIL_CHANGES_ALIGN_H
#define KTAIL_CHANGES_ALIGN_H

#include <stddef.h>
#include <stdint.h>

/*
 * A difference: letters [at, at + removed) of a are replaced by letters [to, to + added) of
 * b.
 */
struct kt_hunk {
	size_t at;
	size_t removed;
	size_t to;
	size_t added;
};

struct kt_hunks {
	struct kt_hunk *items; /* Owned by this */
	size_t n;
	size_t capacity;
};

/*
 * The search gives up after this number of edits, because its memory grows with the square
 * of the number.
 */
#define KT_ALIGN_MAX 2000

/*
 * Writes the hunks that turn a[0..n_a) into b[0..n_b), in order, to *out, which must be
 * zeroed; the caller frees out->items, also after a failure. A hunk that only removes or
 * only adds lies as far towards the end as possible, so that equal changes of different
 * sequences give equal hunks.
 *
 * KT_E_USAGE if more than KT_ALIGN_MAX edits are needed, KT_E_MEMORY. O((n_a + n_b) *
 * edits) time, O(edits^2) memory.
 */
int kt_align(struct kt_hunks *out, const uint32_t *a, size_t n_a, const uint32_t *b,
	     size_t n_b);

#endif
