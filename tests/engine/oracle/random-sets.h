/* SPDX-License-Identifier: MIT */
/*
 * Random word sets for tests: the same seed always gives the same set. Aborts if there is
 * no memory.
 */
#ifndef KTAIL_TESTS_ENGINE_RANDOM_SETS_H
#define KTAIL_TESTS_ENGINE_RANDOM_SETS_H

#include <ktail/words.h>

/* A small random generator (xorshift64*). Its state may begin with any number but 0. */
struct random {
	uint64_t state;
};

/* Returns a number in 0..n-1, uniformly distributed; n > 0. */
uint32_t random_below(struct random *random, uint32_t n);

/*
 * Returns one to five words of 0 to `longest` letters (200 at most), or up to 30 short
 * words, with one to four kinds of letters or up to 1000. A word is empty, random,
 * repetitive, equal to the previous word or a prefix of it; some sets have truncated words.
 * If there are 1000 kinds and `longest` is 200, the first word has each letter once.
 */
kt_words *random_set(uint64_t seed, uint32_t longest);

/* Returns the same words in another order, with their letters numbered differently. */
kt_words *reordered_set(const kt_words *words, uint64_t seed);

/* Adds the i-th word of one set to another. */
void copy_word(kt_words *to, const kt_words *from, size_t i);

/*
 * Returns one word for each string; each character is a letter. A leading "<" truncates the
 * word's beginning, a final ">" its end.
 */
kt_words *set_of_strings(const char *const *strings, size_t n);

#endif
