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
 * Number of direct copies and of semaphore releases whose details are kept: the first ones
 * of each submission.
 */
#define KT_WORK_COPIES   64
#define KT_WORK_RELEASES 64

/* A direct copy, that is, one by the copy engine. */
struct kt_work_copy {
	uint64_t from; /* GPU address; 0: a fill */
	uint64_t to;
	uint64_t bytes;
};

struct kt_work_release {
	uint64_t address; /* GPU address of the semaphore */
	uint64_t payload;
	enum kt_command_kind
		kind;   /* RELEASE, or the command that it ends: COPY, INLINE, LAUNCH */
	bool timestamp; /* a timestamp is written after the payload */
};

/* All zero: nothing submitted yet. Free with kt_work_free(). */
struct kt_work {
	/*
	 * Counts commands by kind, like the alphabet `submission`: inline writes that
	 * belong to a launch are `own_writes`, not copies. writes[0..n_writes) are the
	 * newest inline copies.
	 */
	struct kt_submitted submitted;
	uint64_t inline_copies; /* submitted.commands[KT_COMMAND_INLINE] */
	uint64_t inline_bytes;
	uint64_t direct_copies; /* fills included */
	uint64_t direct_bytes;
	uint64_t fills; /* direct copies without a source */
	uint64_t fill_bytes;
	uint64_t launches;
	uint64_t acquires;
	uint64_t waits_for_idle;
	uint64_t methods;
	uint64_t words; /* captured dwords, decoded or not */
	uint32_t entries;
	bool found; /* its doorbell is unknown: see docs/internals/recording.md */
	struct kt_work_copy copies[KT_WORK_COPIES]; /* the first direct copies */
	size_t n_copies;
	struct kt_work_release releases[KT_WORK_RELEASES]; /* the first releases */
	size_t n_releases;
	uint64_t all_releases; /* number of releases of all kinds */
};

/* Adds a method. KT_E_MEMORY. Amortised O(1); a launch: O(inline writes before it). */
int kt_work_add(struct kt_work *work, const struct kt_decoded *decoded);

/*
 * Returns the submission's name in the alphabet `submission`, without the part before the
 * ":" ("copy-inline+launch", "setup", "unread", ...); in `buffer`.
 */
const char *kt_work_name(const struct kt_work *work, char buffer[static KT_SUBMITTED_NAME]);

/* Resets it to an empty submission; keeps memory for the next one. */
void kt_work_clear(struct kt_work *work);

/* Frees everything that it owns. */
void kt_work_free(struct kt_work *work);

#endif
