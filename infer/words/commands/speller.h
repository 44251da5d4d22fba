/* SPDX-License-Identifier: MIT */
/*
 * One process for command-letters.c: what of its events has not become letters yet, and the
 * records that go out. All zero but `tools`: nothing has come.
 */
#ifndef KTAIL_WORDS_SPELLER_H
#define KTAIL_WORDS_SPELLER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "infer/words/commands/channels.h"
#include "infer/words/commands/command-letters.h"
#include "infer/words/commands/command-ordinals.h"
#include "infer/words/commands/command-polls.h"
#include "infer/words/commands/submission-letter.h"

/* A method that goes on. */
struct kt_method_run {
	uint64_t key; /* 0: none */
	uint32_t letter;
	uint32_t count;
	uint32_t value; /* of the first */
	uint8_t subchannel;
};

struct kt_speller {
	struct kt_command_letters *tools; /* Weak */
	struct kt_channels channels;
	struct kt_ordinals ordinals;
	struct kt_polls polls;
	struct kt_record *out; /* Owned by this until it is given */
	size_t n;
	size_t capacity;
	bool rung; /* a doorbell came, and no other event since */
	bool used; /* it has an entry */
	struct kt_record doorbell;
	struct kt_command_event ring; /* its event */
	bool submitting;              /* to one channel */
	struct kt_record first;       /* of the submission: what its letter bears */
	struct kt_command_event entry;
	struct kt_record entry_record;
	uint32_t channel; /* its ordinal */
	uint32_t entries;
	uint64_t submitted_words;
	struct kt_submitted submitted;
	struct kt_method_run run;
	bool gathering;        /* words of `entry` may follow */
	const uint32_t *words; /* Weak: in the pool, or `joined` */
	size_t n_words;
	uint32_t *joined; /* Owned by this */
	size_t joined_capacity;
	int code; /* of what failed within the decoder's callback */
};

static inline bool kt_speller_of_methods(const struct kt_speller *speller)
{
	return speller->tools->alphabet == KT_COMMANDS_METHODS;
}

/* --- records: speller.c. All but the last two fail with a message. --- */

int kt_speller_add(struct kt_speller *speller, const struct kt_record *record);

/* A letter in the place of an event, of the channel with that ordinal. */
int kt_speller_letter(struct kt_speller *speller, const struct kt_record *of,
		      uint32_t letter, uint32_t channel, const char *detail, size_t length);

/* The same by name, with the detail as printf() has it. */
__attribute__((format(printf, 5, 6))) int
kt_speller_named(struct kt_speller *speller, const struct kt_record *of, const char *name,
		 uint32_t channel, const char *format, ...);

/* Letters of no known channel are those of one behind all others. */
void kt_speller_number_strays(struct kt_speller *speller);

/* Frees what it owns, but not `out`. */
void kt_speller_clear(struct kt_speller *speller);

/* --- letters of what is complete: speller-submissions.c --- */

/* The words of an entry have all come, or will not come any more. */
int kt_speller_end_entry(struct kt_speller *speller);

/* No more entries of the submission will come; its entry is ended, too. */
int kt_speller_end_submission(struct kt_speller *speller);

/* An event that submits nothing, or the next doorbell: what came before is complete. */
int kt_speller_end_doorbell(struct kt_speller *speller);

#endif
