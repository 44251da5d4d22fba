/* SPDX-License-Identifier: MIT */
/*
 * The letter of the alphabet `submission`: what was submitted to one channel at once.
 *
 * It names kinds of commands, each once, in this order, joined by "+": semaphore-acquire,
 * copy-inline, copy-direct, launch, semaphore-release; then classes whose methods are not
 * known, as numbers, ascending; then `unread` if words are missing. A release is named only
 * where nothing was copied or launched: else it says that this was done. Of none of these:
 * `setup`.
 *
 * A launch's own inline writes are no copies: those before it in the same submission that
 * lie wholly within its QMD, or within constant bank 0 of that QMD, which holds what the
 * driver passes to a kernel. The banks after it hold the program's own constants.
 */
#ifndef KTAIL_WORDS_SUBMISSION_LETTER_H
#define KTAIL_WORDS_SUBMISSION_LETTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "decode/commands.h"

/* Inline writes that wait for their launch: the newest. */
#define KT_INLINE_WAITING 4096
/* Classes without methods that are named; more are not. */
#define KT_UNKNOWN_CLASSES 4
/* Room for a submission's name: all kinds of commands, classes, "unread". */
#define KT_SUBMITTED_NAME 160

struct kt_waiting_write {
	uint64_t to;
	uint64_t bytes;
};

/* All zero: nothing was submitted yet. */
struct kt_submitted {
	uint64_t commands[KT_COMMAND_KINDS]; /* own writes are not among INLINE */
	uint64_t own_writes;                 /* of launches */
	uint64_t bytes;                      /* copied */
	uint32_t unknown[KT_UNKNOWN_CLASSES];
	size_t n_unknown;
	bool unread;
	/* Copies so far, that a launch may claim */
	struct kt_waiting_write *writes; /* Owned by this */
	size_t n_writes;
	size_t next_write; /* the oldest, once there are KT_INLINE_WAITING */
	size_t capacity;
};

/* Begins anew. */
void kt_submitted_clear(struct kt_submitted *submitted);
int kt_submitted_add(struct kt_submitted *submitted, const struct kt_decoded *decoded);
/* The letter without what stands in front of its ":", in `buffer`, which it returns. */
const char *kt_submitted_name(const struct kt_submitted *submitted,
			      char buffer[static KT_SUBMITTED_NAME]);
void kt_submitted_free(struct kt_submitted *submitted);

#endif
