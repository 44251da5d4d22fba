/* SPDX-License-Identifier: MIT */
/*
 * The order in which words are listed and their entry states numbered: by name, hash,
 * letters, loss, completeness, and, so that it does not depend on the order of the input,
 * a known beginning before a cut one, then a known end before a cut one.
 */
#ifndef KTAIL_ENGINE_ORDER_H
#define KTAIL_ENGINE_ORDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <ktail/words.h>

#define KT_HASH_SIZE 33

/* What words are ordered by. */
struct kt_word_key {
	const char *name; /* Weak */
	const char *hash; /* Weak */
	uint64_t n;       /* letters */
	uint64_t lost;
	bool cut_begin;
	bool cut_end;
};

/* Below, at or above 0, as strcmp(). */
int kt_word_key_compare(const struct kt_word_key *a, const struct kt_word_key *b);

struct kt_word_order {
	size_t *words;              /* Owned by this: indices of words, in order */
	char (*hash)[KT_HASH_SIZE]; /* Owned by this: hex digits, by index of the word */
};

/* Hashes and sorts the words; no error message is set. O(bytes of letters + w log w). */
int kt_word_order_make(struct kt_word_order *order, const kt_words *words);

void kt_word_order_clear(struct kt_word_order *order);

#endif
