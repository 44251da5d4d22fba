/* SPDX-License-Identifier: MIT */
/*
 * The letter of the alphabet `submission`: the work submitted to one channel at once.
 *
 * The letter lists kinds of commands, each once, joined by "+", in this order:
 * semaphore-acquire, copy-inline, copy-direct, launch, semaphore-release; then classes
 * whose methods are not known, as ascending numbers; then `unread` if dwords are missing. A
 * release is listed only if nothing was copied or launched, because otherwise it only
 * signals the completion of that work. If nothing is listed, the letter is `setup`.
 *
 * Inline writes that belong to a launch are not counted as copies. They come before the
 * launch in the same submission, and lie wholly within its QMD or within constant bank 0 of
 * that QMD, in which the driver passes the kernel's arguments. The other banks hold the
 * program's own constants, so writes to them are copies.
 */
#ifndef KTAIL_WORDS_SUBMISSION_LETTER_H
#define KTAIL_WORDS_SUBMISSION_LETTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "decode/commands.h"

/*
 * Only this many inline writes, the newest of a submission, are compared with a later
 * launch.
 */
#define KT_INLINE_WAITING 4096
/* Maximum number of classes with unknown methods in a name; the lowest numbers are kept. */
#define KT_UNKNOWN_CLASSES 4
/*
 * Size of a submission's name in bytes, including the NUL; suffices for all parts of a
 * name.
 */
#define KT_SUBMITTED_NAME 160

struct kt_waiting_write {
	uint64_t to;
	uint64_t bytes;
};

/* If all members are zero, the submission is empty. */
struct kt_submitted {
	/* by kind; KT_COMMAND_INLINE excludes writes that belong to a launch */
	uint64_t commands[KT_COMMAND_KINDS];
	uint64_t own_writes; /* inline writes that belong to launches */
	uint64_t bytes;      /* bytes copied */
	uint32_t unknown[KT_UNKNOWN_CLASSES];
	size_t n_unknown;
	bool unread;
	/* Inline copies that may turn out to belong to a later launch. */
	struct kt_waiting_write *writes; /* Owned by this */
	size_t n_writes;
	/*
	 * once n_writes is KT_INLINE_WAITING: index of the next write to replace, modulo
	 * KT_INLINE_WAITING
	 */
	size_t next_write;
	size_t capacity;
};

/* Resets *submitted to an empty submission. */
void kt_submitted_clear(struct kt_submitted *submitted);
int kt_submitted_add(struct kt_submitted *submitted, const struct kt_decoded *decoded);
/* Writes the letter without "submit:" or "found:" to `buffer` and returns `buffer`. */
const char *kt_submitted_name(const struct kt_submitted *submitted,
			      char buffer[static KT_SUBMITTED_NAME]);
void kt_submitted_free(struct kt_submitted *submitted);

#endif
