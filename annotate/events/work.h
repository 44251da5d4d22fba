/* SPDX-License-Identifier: MIT */
/* What one submission does, summed up from its decoded methods. */
#ifndef KTAIL_ANNOTATE_WORK_H
#define KTAIL_ANNOTATE_WORK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "decode/commands.h"
#include "infer/words/commands/submission-letter.h"

/* Direct copies, and semaphores that are released, of which the details are kept: the first
 * ones. */
#define KT_WORK_COPIES   64
#define KT_WORK_RELEASES 64

/* By the copy engine. */
struct kt_work_copy {
	uint64_t from; /* GPU address; 0: it fills */
	uint64_t to;
	uint64_t bytes;
};

struct kt_work_release {
	uint64_t address; /* of the semaphore, on the GPU */
	uint64_t payload;
	enum kt_command_kind
		kind;   /* RELEASE, or what it is the end of: COPY, INLINE, LAUNCH */
	bool timestamp; /* the time is written after the payload */
};

/* All zero: nothing was submitted yet. Free with kt_work_clear(). */
struct kt_work {
	/*
	 * The same as of the alphabet `submission`: how many commands of each kind, where a
	 * launch's own inline writes are no copies but `own_writes`; writes[0..n_writes)
	 * are the newest inline copies.
	 */
	struct kt_submitted submitted;
	uint64_t inline_copies; /* submitted.commands[KT_COMMAND_INLINE] */
	uint64_t inline_bytes;
	uint64_t direct_copies; /* fills included */
	uint64_t direct_bytes;
	uint64_t fills; /* of these, those that read nothing */
	uint64_t fill_bytes;
	uint64_t launches;
	uint64_t acquires;
	uint64_t waits_for_idle;
	uint64_t methods;
	uint64_t words; /* decoded or not, as captured */
	uint32_t entries;
	bool found; /* in the ring when recording began: by which doorbell is unknown */
	struct kt_work_copy copies[KT_WORK_COPIES]; /* the first direct ones */
	size_t n_copies;
	struct kt_work_release releases[KT_WORK_RELEASES]; /* the first ones */
	size_t n_releases;
	uint64_t all_releases; /* of all kinds */
};

/* Adds a method. KT_E_MEMORY. Amortised O(1); a launch: O(inline writes before it). */
int kt_work_add(struct kt_work *work, const struct kt_decoded *decoded);

/*
 * What the alphabet `submission` calls it, without what stands before the ":":
 * "copy-inline+launch", "setup", "unread", ... In `buffer`.
 */
const char *kt_work_name(const struct kt_work *work, char buffer[static KT_SUBMITTED_NAME]);

/* Begins anew; keeps memory for the next. */
void kt_work_clear(struct kt_work *work);

/* Frees what it owns. */
void kt_work_free(struct kt_work *work);

#endif
