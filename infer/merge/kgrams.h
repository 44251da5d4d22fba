/* SPDX-License-Identifier: MIT */
/*
 * k-gram statistics of a word set: everything that the machine of the set for one k depends
 * on. They let a machine grow with new words: statistics are counted from words, merged in
 * any order and grouping, stored in files ("ktail-kgrams/1", see ktail-kgrams(5)), and
 * turned into the machine of all words. Merging the statistics of two word sets gives the
 * same result as counting the words of both sets at once; a word that occurs twice counts
 * twice. (Statistics form a commutative monoid, and counting is a homomorphism from
 * multisets of words.)
 *
 * Statistics hold each distinct string of k + 1 letters (a window) with its count, and a
 * list of the words with their hashes, first k + 1 and last k letters, losses and
 * truncations. The first window of each word whose beginning is known is not counted. The
 * size of statistics grows with the distinct windows and the words, not with the letters.
 *
 * Statistics are immutable: several threads may read them at the same time.
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
 * Counts the statistics of a word set, which may be empty, for options->k; options->machine
 * must be KT_MACHINE_CHAINS. The caller owns *out; it is NULL on failure. KT_E_USAGE if
 * there are more letters than the engine can number (see kt_infer()) or the alphabet is not
 * a JSON object.
 *
 * Time: near linear in the letters, for any k. Memory in addition to the word set: 14 bytes
 * per letter, or 5 per letter and 44 per distinct window if that is more.
 */
KT_EXPORT int kt_kgrams_count(kt_kgrams **out, const kt_words *words,
			      const struct kt_infer_options *options);

/*
 * Merges parts[0..n), n > 0, into statistics of all their words. The parts are not changed.
 * KT_E_USAGE unless all parts have the same k, unit of words, letter filter (members "runs"
 * and "without" of the alphabet) and alphabet. Parts without an alphabet beyond the filter
 * can be merged with parts of any alphabet.
 *
 * The order and grouping of merges do not affect the result. Takes the time and memory of
 * kt_kgrams_count() for as many letters as the parts have windows.
 */
KT_EXPORT int kt_kgrams_merge(kt_kgrams **out, const kt_kgrams *const *parts, size_t n);

/*
 * Infers the machine that kt_infer() gives for all words together. k must not exceed the k
 * of the statistics; the machine gets the alphabet that kt_kgrams_alphabet() returns. The
 * caller owns *out; it is NULL on failure. KT_E_EMPTY if there are no words, KT_E_USAGE if
 * k is too large. Costs as much as kt_infer() for as many letters as there are distinct
 * windows.
 */
KT_EXPORT int kt_kgrams_infer(struct kt_fsm **out, const kt_kgrams *kgrams, uint64_t k);

/*
 * Writes the statistics as JSON. Equal multisets of words give identical bytes.
 * KT_E_MALFORMED if the name of a word is not valid UTF-8.
 */
KT_EXPORT int kt_kgrams_write(const kt_kgrams *kgrams, FILE *out);

/*
 * Reads statistics from JSON and checks that words with these statistics can exist: each
 * window occurs once, every string of k letters is entered as often as it is left, and the
 * counts add up to the number of windows that the words' lengths imply. Skips unknown
 * members. `name` is used in messages. KT_E_MALFORMED if the file is invalid. Costs as much
 * as merging.
 */
KT_EXPORT int kt_kgrams_read(kt_kgrams **out, FILE *in, const char *name);

/* NULL is allowed. */
KT_EXPORT void kt_kgrams_free(kt_kgrams *kgrams);

/*
 * Return k, the unit of words ("process", ...), and the alphabet as JSON text (NULL: none).
 * The statistics own the strings. O(1).
 */
KT_EXPORT uint64_t kt_kgrams_k(const kt_kgrams *kgrams);
KT_EXPORT const char *kt_kgrams_word(const kt_kgrams *kgrams);
KT_EXPORT const char *kt_kgrams_alphabet(const kt_kgrams *kgrams);

/* Return the number of words and of distinct windows. O(1). */
KT_EXPORT size_t kt_kgrams_words(const kt_kgrams *kgrams);
KT_EXPORT size_t kt_kgrams_windows(const kt_kgrams *kgrams);

/* Returns the number of letters of all words. O(words). */
KT_EXPORT uint64_t kt_kgrams_events(const kt_kgrams *kgrams);

/*
 * Returns how many words repeat the name, hash and number of letters of an earlier word in
 * the list. If the number for merged statistics exceeds the sum for their parts, a trace
 * may have been counted twice. O(words).
 */
KT_EXPORT size_t kt_kgrams_twins(const kt_kgrams *kgrams);

#ifdef __cplusplus
}
#endif
#endif
