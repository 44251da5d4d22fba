/* SPDX-License-Identifier: MIT */
/*
 * The letters of the alphabet `methods`: "m:CLASS:METHOD" for each run of one method in a
 * segment, by whatever subchannel and whichever element of an array it is. What has no
 * public name is a number: "m:HOPPER_COMPUTE_A:0x1234", "m:0xcb97:0x1234".
 */
#ifndef KTAIL_WORDS_METHOD_LETTERS_H
#define KTAIL_WORDS_METHOD_LETTERS_H

#include <stddef.h>
#include <stdint.h>

#include "base/hash-index.h"
#include "decode/commands.h"
#include "infer/words/alphabet/letters.h"

/* Letters that were given, by method. All zero: none. */
struct kt_method_letters {
	struct kt_method_letter {
		uint64_t key;
		uint32_t letter;
	} * given; /* Owned by this */
	size_t n;
	size_t capacity;
	struct kt_hash_index by_key;
};

/* What tells methods apart; not 0. */
uint64_t kt_method_key(const struct kt_decoded *decoded);
/* The letter of a method with that key. O(1), expected, but for its first time. */
int kt_method_letter(struct kt_method_letters *cache, kt_letters *letters, uint64_t key,
		     const struct kt_decoded *decoded, uint32_t *letter);
void kt_method_letters_free(struct kt_method_letters *cache);

#endif
