/* SPDX-License-Identifier: MIT */
/*
 * Checks whether words fit a machine, letter by letter: words of any length, several at a
 * time.
 *
 * A word fits as long as the machine can read it: every state accepts, so a word may end
 * anywhere. A word with a known beginning is read from the start state. A word with a
 * truncated beginning is read from all states at once and fits while at least one state
 * remains. Because the machine is deterministic, the number of possible states never grows.
 *
 * A kt_check is immutable: many threads may use it. A word may be used by one thread at a
 * time.
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

/* A letter that is not in the machine; it never fits. */
#define KT_CHECK_UNKNOWN UINT32_MAX

/* A machine, indexed for checking. */
typedef struct kt_check kt_check;

/* A word being checked. */
typedef struct kt_check_word kt_check_word;

/*
 * Indexes a machine. `fsm` is borrowed, must outlive *out unchanged, and has its letters in
 * byte order. The caller owns *out. KT_E_USAGE if the machine has no state, or if a state
 * has two transitions with the same letter, which is possible in a diff of two machines.
 * O(machine) in time and memory.
 */
KT_EXPORT int kt_check_new(kt_check **out, const struct kt_fsm *fsm);

/* Frees a check, whose words must all have been freed; NULL is allowed. */
KT_EXPORT void kt_check_free(kt_check *check);

/*
 * Returns the index of the letter name[0..length) in the machine's letters, or
 * KT_CHECK_UNKNOWN. O(log letters) comparisons.
 */
KT_EXPORT uint32_t kt_check_letter(const kt_check *check, const char *name, size_t length);

/*
 * Begins a word in the start state or, if cut_begin is set, in all states at once. The
 * caller owns *out; `check` is borrowed. O(1); a word that may be in several states takes
 * O(states) memory from its first letter or query on.
 */
KT_EXPORT int kt_check_begin(kt_check_word **out, const kt_check *check, bool cut_begin);

/* Frees a word; NULL is allowed. */
KT_EXPORT void kt_check_end(kt_check_word *word);

/*
 * Reads the next letter and sets *fits. If the letter does not fit, the word stays in its
 * states: query the word for what is to be reported, then call kt_check_skip(). O(1)
 * expected in one state, O(possible states) in several, and O(transitions with the letter)
 * for the first letter of a truncated word.
 */
KT_EXPORT int kt_check_feed(bool *fits, kt_check_word *word, uint32_t letter);

/*
 * Resynchronises after a letter that did not fit. The letter is accepted and the letters
 * before it are forgotten: the word may now be in the target of any transition of this
 * letter, or in any state if there is none. O(transitions of the letter).
 */
KT_EXPORT int kt_check_skip(kt_check_word *word, uint32_t letter);

/* Returns the number of letters read or skipped, which is the next letter's index. O(1). */
KT_EXPORT uint64_t kt_check_position(const kt_check_word *word);

/*
 * Writes the states that the word may be in: at least one, in ascending order. *states is
 * owned by the word and valid until the next call with that word. O(states log states);
 * O(1) for one state.
 */
KT_EXPORT int kt_check_states(const uint32_t **states, size_t *n, kt_check_word *word);

/*
 * Returns whether the word can be in one state only, and writes this state to *state. O(1).
 */
KT_EXPORT bool kt_check_state(uint32_t *state, const kt_check_word *word);

/*
 * Returns the index of the transition from a state with a letter, or KT_CHECK_UNKNOWN. O(1)
 * expected.
 */
KT_EXPORT uint32_t kt_check_transition(const kt_check *check, uint32_t state,
				       uint32_t letter);

/*
 * Writes the letters that fit next, in ascending order, which is the byte order of their
 * names. *n is 0 if no possible state has a transition. *letters is owned by the word and
 * valid until the next call with that word. O(m log m) for m possible states and
 * transitions from them.
 */
KT_EXPORT int kt_check_expected(const uint32_t **letters, size_t *n, kt_check_word *word);

/*
 * Checks all words of a set; letters are matched by name. fitting[i] receives the number of
 * letters of the i-th word before the first misfit, or of all letters if the word fits; the
 * caller provides kt_words_count() items. O(letters) expected for words whose beginning is
 * known.
 */
KT_EXPORT int kt_check_words(uint64_t *fitting, const kt_check *check,
			     const kt_words *words);

#ifdef __cplusplus
}
#endif
#endif
