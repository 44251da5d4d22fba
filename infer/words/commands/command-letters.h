/* SPDX-License-Identifier: MIT */
/*
 * The alphabets `submission` and `methods` at work: from the events of one process, in
 * order, to letters. ktail-alphabet(5) says what they are.
 *
 * A letter has time, thread and number of its doorbell (`submission`), of its ring entry
 * (`methods`), or of the read that it is (`poll`).
 */
#ifndef KTAIL_WORDS_COMMAND_LETTERS_H
#define KTAIL_WORDS_COMMAND_LETTERS_H

#include <stddef.h>
#include <stdint.h>

#include "base/hash-index.h"
#include "infer/words/alphabet/alphabet.h"
#include "infer/words/alphabet/letters.h"
#include "infer/words/commands/command-events.h"
#include "infer/words/split/collect.h"

/*
 * The letters of `methods` that were given: "m:CLASS:METHOD" for each run of one method in
 * a segment, by whatever subchannel and whichever element of an array it is. What has no
 * public name is a number: "m:HOPPER_COMPUTE_A:0x1234", "m:0xcb97:0x1234". All zero: none.
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
	kt_letters *letters;                /* Weak */
	const struct kt_command_events *of; /* Weak: a record's `detail` is one's number */
	struct kt_command_events *forget;   /* Weak: the same as `of`, of a stream */
	struct kt_method_letters methods;
};

/* A kt_encode_fn; the context is a struct kt_command_letters. */
int kt_command_letters_encode(void *context, const struct kt_record *records, size_t n,
			      struct kt_record **out, size_t *n_out);

/* The context is a struct kt_command_letters; with `forget` set, record by record. */
extern const struct kt_encoding kt_command_encoding;

void kt_command_letters_free(struct kt_command_letters *letters);

#endif
