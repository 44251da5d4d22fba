/* SPDX-License-Identifier: MIT */
/* Summarises the work of one submission from its decoded methods. */
#ifndef KTAIL_ANNOTATE_WORK_H
#define KTAIL_ANNOTATE_WORK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "decode/commands.h"
#include "infer/words/commands/submission-letter.h"

/*
 * Of the direct copies and semaphore releases of a submission, this many are kept with
 * their details: the first ones.
 */
#define KT_WORK_COPIES   64
#define KT_WORK_RELEASES 64

/* A direct copy, that is, a copy by the copy engine. */
struct kt_work_copy {
	uint64_t from; /* GPU address; 0: a fill */
	uint64_t to;
	uint64_t bytes;
};

struct kt_work_release {
	uint64_t address; /* GPU address of the semaphore */
	uint64_t payload;
	enum kt_command_kind
		kind; /* RELEASE, or the command that ends with it: COPY, INLINE, LAUNCH */
	bool timestamp; /* a timestamp is written after the payload */
};

/* All zero: nothing submitted yet. Free with kt_work_free(). */
struct kt_work {
	/*
	 * Commands counted by kind, as in the alphabet `submission`: inline writes that
	 * belong to a launch count as `own_writes`, not as copies. The array `writes`
	 * contains the newest inline copies.
	 */
	struct kt_submitted submitted;
	uint64_t inline_copies; /* submitted.commands[KT_COMMAND_INLINE] */
	uint64_t inline_bytes;
	uint64_t direct_copies; /* fills included */
	uint64_t direct_bytes;
	uint64_t fills; /* direct copies without a source */
	uint64_t fill_bytes;
	uint64_t launches;
	uint64_t empty_grids; /* QMDs without a program */
	uint64_t acquires;
	uint64_t waits_for_idle;
	uint64_t methods;
	uint64_t words; /* captured dwords, decoded or not */
	uint32_t entries;
	/* The doorbell of the entries is unknown: see docs/internals/recording.md. */
	bool found;
	struct kt_work_copy copies[KT_WORK_COPIES]; /* the first direct copies */
	size_t n_copies;
	struct kt_work_release releases[KT_WORK_RELEASES]; /* the first releases */
	size_t n_releases;
	uint64_t all_releases; /* number of all releases, also those not in `releases` */
};

/* Adds a method. KT_E_MEMORY. Amortised O(1); a launch: O(inline writes before it). */
int kt_work_add(struct kt_work *work, const struct kt_decoded *decoded);

/*
 * Writes the letter of the submission in the alphabet `submission` to `buffer`, without the
 * part up to ":" ("copy-inline+launch", "setup", "unread", ...), and returns `buffer`.
 */
const char *kt_work_name(const struct kt_work *work, char buffer[static KT_SUBMITTED_NAME]);

/* Resets `work` to an empty submission; keeps its memory for the next submission. */
void kt_work_clear(struct kt_work *work);

/* Frees everything that `work` owns. */
void kt_work_free(struct kt_work *work);

#endif
