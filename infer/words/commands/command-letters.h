/* SPDX-License-Identifier: MIT */
/*
 * Encoder of the alphabets `submission` and `methods`: turns the events of one process, in
 * order, into letters. ktail-alphabet(5) defines them.
 *
 * A letter has the time, thread and number of its doorbell (`submission`), its ring entry
 * (`methods`) or its read (`poll`).
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
 * Letters of `methods` given so far: "m:CLASS:METHOD" for each run of one method in a
 * segment, whatever the subchannel and the element of an array. Without a public name the
 * number is used: "m:HOPPER_COMPUTE_A:0x1234", "m:0xcb97:0x1234". All zero: none.
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
	/* Weak: a record's `detail` is the number of an event here */
	const struct kt_command_events *of;
	/* Weak: same as `of` when streaming, to free events; else NULL */
	struct kt_command_events *forget;
	struct kt_method_letters methods;
};

/* A kt_encode_fn; the context is a struct kt_command_letters. */
int kt_command_letters_encode(void *context, const struct kt_record *records, size_t n,
			      struct kt_record **out, size_t *n_out);

/*
 * The context is a struct kt_command_letters; with `forget` set, records are encoded one by
 * one.
 */
extern const struct kt_encoding kt_command_encoding;

void kt_command_letters_free(struct kt_command_letters *letters);

#endif
