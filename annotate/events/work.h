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
 * The first direct copies and the first semaphore releases of a submission are kept with
 * their details, at most this many of each.
 */
#define KT_WORK_COPIES   64
#define KT_WORK_RELEASES 64
/*
 * Maximum number of different commands of a submission that are kept; further commands are
 * only counted.
 */
#define KT_WORK_COMMANDS 8
/* Size in bytes, including the NUL, of a list of the commands of a submission. */
#define KT_WORK_LIST 640

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

/* The commands of a kind, without their data. */
struct kt_work_command {
	enum kt_command_kind kind;
	uint32_t class_number; /* BIND: of the bound object; else 0 */
	uint64_t n;
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
	struct kt_work_command commands[KT_WORK_COMMANDS]; /* in the order in which each
							    * first occurred */
	size_t n_commands;
	uint64_t other_commands; /* number of commands that are not in `commands` */
};

/* Adds a method. KT_E_MEMORY. Amortised O(1); a launch: O(inline writes before it). */
int kt_work_add(struct kt_work *work, const struct kt_decoded *decoded);

/*
 * Writes the letter of the submission in the alphabet `submission` to `buffer`, without the
 * part up to ":" ("copy-inline+launch", "setup", "unread", ...), and returns `buffer`.
 */
const char *kt_work_name(const struct kt_work *work, char buffer[static KT_SUBMITTED_NAME]);

/*
 * Writes the names of the commands of the submission to `buffer` and returns `buffer`:
 * "bind HOPPER_COMPUTE_A, launch ×20, semaphore-release"; "" if there are none. The number
 * of all further commands, which are not kept, comes last.
 */
const char *kt_work_list(const struct kt_work *work, char buffer[static KT_WORK_LIST]);

/* Resets `work` to an empty submission; keeps its memory for the next submission. */
void kt_work_clear(struct kt_work *work);

/* Frees everything that `work` owns. */
void kt_work_free(struct kt_work *work);

#endif
