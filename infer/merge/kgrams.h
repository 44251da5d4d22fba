/* SPDX-License-Identifier: MIT */
/*
 * Growing a machine: the statistics of a word set that are all that its machine of one k
 * depends on. They are made from words, merged in any order and grouping, kept in files
 * ("ktail-kgrams/1", see ktail-kgrams(5)), and turned into the machine of all words at
 * once. They are a commutative monoid, and making them is a homomorphism from multisets of
 * words: a word that is given twice counts twice.
 *
 * What they hold: each string of k + 1 letters (a window) that occurs, with its count, but
 * for those in which a word begins at the start; and the list of words with their hashes,
 * first k + 1 and last k letters, losses and cuts. Their size goes with the distinct
 * windows and the words, not with the letters.
 *
 * Nobody changes them once they are made: several threads may read one.
 */
#ifndef KTAIL_KGRAMS_H
#define KTAIL_KGRAMS_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "export.h"
#include "fsm.h"
#include "infer.h"
#include "words.h"

#ifdef __cplusplus
extern "C" {
#endif

#define KT_KGRAMS_FORMAT "ktail-kgrams/1"

typedef struct kt_kgrams kt_kgrams;

/*
 * The statistics of a word set, which may be empty, for the k of the options; the machine
 * must be KT_MACHINE_CHAINS. The caller owns *out; on failure it is NULL. KT_E_USAGE when
 * there are more letters than the engine can number (as kt_infer()), or the alphabet is no
 * JSON. Time: near linear in the letters, whatever k. Memory besides the word set: 14 bytes
 * a letter, or 5 a letter and 44 a distinct window, if that is more.
 */
KT_EXPORT int kt_kgrams_count(kt_kgrams **out, const kt_words *words,
			      const struct kt_infer_options *options);

/*
 * The statistics of all words of parts[0..n), n > 0, which stay as they are. All must have
 * the same k, unit of words and alphabet, where none (NULL) goes with any; else KT_E_USAGE.
 * The order and the grouping of merges do not show in the result. Time and memory as
 * kt_kgrams_count() of as many letters as the parts have windows.
 */
KT_EXPORT int kt_kgrams_merge(kt_kgrams **out, const kt_kgrams *const *parts, size_t n);

/*
 * The machine that kt_infer() gives for all words at once, for a k of at most that of the
 * statistics and the alphabet in the form that kt_kgrams_alphabet() gives. The caller owns
 * *out; on failure it is NULL. KT_E_EMPTY when there are no words, KT_E_USAGE when k is
 * more. Costs what kt_infer() costs for as many letters as there are distinct windows.
 */
KT_EXPORT int kt_kgrams_infer(struct kt_fsm **out, const kt_kgrams *kgrams, uint64_t k);

/*
 * Writes the statistics as JSON; those of equal multisets of words give the same bytes.
 * KT_E_MALFORMED if a word's name is no UTF-8.
 */
KT_EXPORT int kt_kgrams_write(const kt_kgrams *kgrams, FILE *out);

/*
 * Reads statistics from JSON and checks that there can be words that have them: each window
 * given once, every string of k letters entered as often as left, counts that add up to the
 * words' letters. Unknown members are skipped. `name` stands in messages. KT_E_MALFORMED on
 * anything else. Costs what merging costs.
 */
KT_EXPORT int kt_kgrams_read(kt_kgrams **out, FILE *in, const char *name);

/* NULL is allowed. */
KT_EXPORT void kt_kgrams_free(kt_kgrams *kgrams);

/* k; what makes a word ("process", ...); the alphabet as JSON text, or NULL: owned by the
 * statistics. O(1). */
KT_EXPORT uint64_t kt_kgrams_k(const kt_kgrams *kgrams);
KT_EXPORT const char *kt_kgrams_word(const kt_kgrams *kgrams);
KT_EXPORT const char *kt_kgrams_alphabet(const kt_kgrams *kgrams);

/* Sizes: words, distinct windows. O(1). */
KT_EXPORT size_t kt_kgrams_words(const kt_kgrams *kgrams);
KT_EXPORT size_t kt_kgrams_windows(const kt_kgrams *kgrams);

/* Letters of all words. O(words). */
KT_EXPORT uint64_t kt_kgrams_events(const kt_kgrams *kgrams);

/*
 * How many words there are beside one that has the same name, hash and number of letters:
 * if merging makes more of them, perhaps a trace was counted twice. O(words).
 */
KT_EXPORT size_t kt_kgrams_twins(const kt_kgrams *kgrams);

#ifdef __cplusplus
}
#endif
#endif
