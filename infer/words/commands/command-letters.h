/* SPDX-License-Identifier: MIT */
/*
 * Encoder of the alphabets `submission` and `methods`, which ktail-alphabet(5) defines:
 * turns the events of one process, in order, into letters.
 *
 * A letter has the time, thread and sequence number of one event. In `submission`, that is
 * the doorbell, or the first ring entry if no doorbell was recorded; for the letter `poll`,
 * it is the read. In `methods`, it is the ring entry.
 */
#ifndef KTAIL_WORDS_COMMAND_LETTERS_H
#define KTAIL_WORDS_COMMAND_LETTERS_H

#include <stddef.h>
#include <stdint.h>

#include "base/hash-index.h"
#include "infer/words/alphabet/alphabet.h"
#include "infer/words/alphabet/letters.h"
#include "infer/words/commands/command-events.h"
#include "infer/words/memory/roles.h"
#include "infer/words/split/collect.h"

/*
 * Cache of the letters of `methods`. Each sequence of equal methods in a segment gives
 * "m:CLASS:METHOD"; methods count as equal even if their subchannels differ or they are
 * different elements of one array. A class or method without a public name is given by
 * number: "m:HOPPER_COMPUTE_A:0x1234", "m:0xcb97:0x1234". The cache is empty if all members
 * are zero.
 */
struct kt_method_letters {
	struct kt_method_letter {
		uint64_t key;
		uint32_t letter;
	} * given; /* Owned by this */
	size_t n;
	size_t capacity;
	struct kt_hash_index by_key;
};

struct kt_command_letters {
	enum kt_command_alphabet alphabet;
	kt_letters *letters; /* Weak */
	/* Weak: the events; a record's `detail` is the number of its event */
	const struct kt_command_events *of;
	/*
	 * Weak: when streaming, the same pointer as `of`, to free encoded events; otherwise
	 * NULL
	 */
	struct kt_command_events *forget;
	struct kt_method_letters methods;
};

/*
 * Passes the records of a process, sorted by sequence number, to a new kt_roles, as process
 * instance 0. Used by the alphabet `roles`, whose letters are made in role-letters.c.
 * polls[i] becomes true if record i is a poll (command-polls.h), else false.
 */
int kt_command_letters_find_roles(struct kt_command_letters *letters, kt_roles *roles,
				  const struct kt_record *records, size_t n, bool *polls);

/* A kt_encode_fn; the context is a struct kt_command_letters. */
int kt_command_letters_encode(void *context, const struct kt_record *records, size_t n,
			      struct kt_record **out, size_t *n_out);

/*
 * Its context is a struct kt_command_letters. Its functions for single records, take() and
 * drop(), require that `forget` is set.
 */
extern const struct kt_encoding kt_command_encoding;

void kt_command_letters_free(struct kt_command_letters *letters);

#endif
