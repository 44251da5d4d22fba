/* SPDX-License-Identifier: MIT */
/*
 * Whether words fit a machine: letter by letter, so that a word may be as long as it likes,
 * and many words at a time.
 *
 * A word fits as long as the machine can read it: every state accepts, so an end fits
 * anywhere. A word whose beginning is known is read from the start; of one whose beginning
 * is cut all states are carried along from which it can have been read, and it fits while
 * there is one. As the machine is deterministic, they never become more.
 *
 * A kt_check is not changed once it is made: many threads may use it. A word is for one
 * thread at a time.
 */
#ifndef KTAIL_CHECK_H
#define KTAIL_CHECK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "export.h"
#include "fsm.h"
#include "status.h"
#include "words.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A letter that the machine does not know; it fits nothing. */
#define KT_CHECK_UNKNOWN UINT32_MAX

/* A machine, made ready to read. */
typedef struct kt_check kt_check;

/* A word on its way. */
typedef struct kt_check_word kt_check_word;

/*
 * Makes a machine ready. `fsm` is borrowed and must outlive it, unchanged; its letters are
 * in byte order. The caller owns *out. KT_E_USAGE if the machine has no state, or a state
 * with two transitions of one letter (one of two machines' differences may). O(machine) in
 * time and memory.
 */
KT_EXPORT int kt_check_new(kt_check **out, const struct kt_fsm *fsm);

/* NULL is allowed. All its words are freed before it. */
KT_EXPORT void kt_check_free(kt_check *check);

/*
 * The number of the letter called name[0..length): its index in the machine's letters, or
 * KT_CHECK_UNKNOWN. O(log letters) comparisons.
 */
KT_EXPORT uint32_t kt_check_letter(const kt_check *check, const char *name, size_t length);

/*
 * Begins a word, at the start of the machine, or with cut_begin in any of its states. The
 * caller owns *out; `check` is borrowed. O(1); O(states) memory from the first letter on
 * while there is more than one state it may be in.
 */
KT_EXPORT int kt_check_begin(kt_check_word **out, const kt_check *check, bool cut_begin);

/* NULL is allowed. */
KT_EXPORT void kt_check_end(kt_check_word *word);

/*
 * Reads the next letter if it fits. If not, the word stays where it is: ask what is to be
 * told about it, then kt_check_skip() it to go on. O(1), expected, while there is one state
 * that the word may be in, else O(those), and O(transitions of the letter) for the first
 * letter of a word that is cut.
 */
KT_EXPORT int kt_check_feed(bool *fits, kt_check_word *word, uint32_t letter);

/*
 * Resynchronises after a letter that did not fit: the letter is taken for granted, and
 * what was read before it is forgotten. From then on the word may be in each state that
 * some transition of this letter leads to; where the machine has none, in any state.
 * O(transitions of the letter).
 */
KT_EXPORT int kt_check_skip(kt_check_word *word, uint32_t letter);

/* Letters read and skipped so far: the index of the next one in its word. O(1). */
KT_EXPORT uint64_t kt_check_position(const kt_check_word *word);

/*
 * The states that the word may be in, ascending: at least one. *states belongs to the word
 * and is valid until the next call with it. O(states log states); O(1) for one.
 */
KT_EXPORT int kt_check_states(const uint32_t **states, size_t *n, kt_check_word *word);

/* Whether there is only one state that the word may be in, which is *state then. O(1). */
KT_EXPORT bool kt_check_state(uint32_t *state, const kt_check_word *word);

/*
 * Which transition leads from a state with a letter: its index in the machine's, or
 * KT_CHECK_UNKNOWN. O(1), expected.
 */
KT_EXPORT uint32_t kt_check_transition(const kt_check *check, uint32_t state,
				       uint32_t letter);

/*
 * The letters that would fit next, ascending, so in byte order of their names; none where
 * only ends of words are. *letters belongs to the word and is valid until the next call
 * with it. O(transitions of the states + letters).
 */
KT_EXPORT int kt_check_expected(const uint32_t **letters, size_t *n, kt_check_word *word);

/*
 * Reads all words of a set, whose letters are found by name: fitting[i] is how many letters
 * of the i-th word fit from its beginning on, all of them if the word fits. fitting[] has
 * room for kt_words_count(). O(letters), expected, for words whose beginning is known.
 */
KT_EXPORT int kt_check_words(uint64_t *fitting, const kt_check *check,
			     const kt_words *words);

#ifdef __cplusplus
}
#endif
#endif
