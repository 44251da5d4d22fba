/* SPDX-License-Identifier: MIT */
/*
 * Semaphores that submissions release, and whether the process instance has already waited
 * for the release.
 */
#ifndef KTAIL_ANNOTATE_UNFINISHED_H
#define KTAIL_ANNOTATE_UNFINISHED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/hash-index.h"

/* All zero: empty. */
struct kt_unfinished {
	struct kt_unfinished_slot {
		uint64_t instance;
		uint64_t slot; /* address / 16 */
		bool waiting; /* released by a submission that is not known to be finished */
	} * slots; /* Owned by this: in order of first release */
	size_t n;
	size_t capacity;
	struct kt_hash_index index; /* of slots */
};

/* Adds the semaphore that a submission releases. KT_E_MEMORY. Amortised O(1) expected. */
int kt_unfinished_release(struct kt_unfinished *unfinished, uint64_t instance,
			  uint64_t address);

bool kt_unfinished_has(const struct kt_unfinished *unfinished, uint64_t instance,
		       uint64_t address);

/*
 * Marks the submission that releases the semaphore as finished, because the process has
 * observed its completion.
 */
void kt_unfinished_finish(struct kt_unfinished *unfinished, uint64_t instance,
			  uint64_t address);

void kt_unfinished_free(struct kt_unfinished *unfinished);

#endif
