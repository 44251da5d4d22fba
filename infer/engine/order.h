/* SPDX-License-Identifier: MIT */
/*
 * The order in which words are listed, and in which their entry states are numbered: by
 * name, hash, number of letters, loss and completeness. Truncated words come before
 * complete ones, and among truncated words, those with a known beginning come first. The
 * result therefore does not depend on the order of the input.
 */
#ifndef KTAIL_ENGINE_ORDER_H
#define KTAIL_ENGINE_ORDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <ktail/words.h>

#define KT_HASH_SIZE 33

/* The sort key of a word. */
struct kt_word_key {
	const char *name; /* Weak */
	const char *hash; /* Weak */
	uint64_t n;       /* letters */
	uint64_t lost;
	bool cut_begin;
	bool cut_end;
};

/* Returns a negative number, 0 or a positive number, like strcmp(). */
int kt_word_key_compare(const struct kt_word_key *a, const struct kt_word_key *b);

struct kt_word_order {
	size_t *words;              /* Owned by this: indices of words, sorted */
	char (*hash)[KT_HASH_SIZE]; /* Owned by this: hex digits, indexed by word */
};

/* Hashes and sorts the words; sets no error message. O(bytes of letters + w log w). */
int kt_word_order_make(struct kt_word_order *order, const kt_words *words);

void kt_word_order_clear(struct kt_word_order *order);

#endif
