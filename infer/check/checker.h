/* SPDX-License-Identifier: MIT */
/*
 * Checks words of any source against one machine, several at a time, and records the
 * letters that do not fit: where, and what was expected there.
 */
#ifndef KTAIL_CHECK_CHECKER_H
#define KTAIL_CHECK_CHECKER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <ktail/check.h>

#include "base/option-table.h"
#include "infer/words/alphabet/letters.h"

#define KT_MISFIT_BEFORE 8  /* preceding letters recorded per misfit, at most */
#define KT_MISFIT_STATES 16 /* states recorded per misfit, at most */

/*
 * Position of a letter's event in its trace. The position is unknown if the letter comes
 * from an .events file.
 */
struct kt_event_position {
	bool known;
	uint32_t pid;
	uint32_t tid;
	int64_t time; /* ns since the epoch */
	uint64_t seq; /* sequence number within the process */
};

/* A letter that did not fit. */
struct kt_misfit {
	uint64_t index;  /* of the letter in its word, from 0 */
	uint32_t letter; /* see kt_checker_letter_name() */
	/*
	 * The last CUDA call before the misfit, a letter as in the alphabet `calls`;
	 * KT_CHECK_UNKNOWN if there is none, or if the misfit is a call itself
	 */
	uint32_t call;
	struct kt_event_position position;
	/* the first of the states that the word may have been in, in ascending order */
	uint32_t states[KT_MISFIT_STATES];
	size_t n_states;    /* number of possible states, which may exceed the array */
	uint32_t *expected; /* Owned by this: letters of the machine that would fit */
	size_t n_expected;
	uint32_t before[KT_MISFIT_BEFORE]; /* preceding letters, the latest last */
	size_t n_before;
};

struct kt_checked_word {
	char *name;        /* Owned by this; NULL until known */
	const char *trace; /* Weak: see kt_checker_set_trace(); NULL: unknown */
	uint64_t letters;
	uint64_t lost;
	uint64_t n_misfits; /* at most 1 unless the option `all` is set */
	bool cut_begin;
	bool cut_end;
	bool provisional; /* misfits are not reported yet */
	bool has_state;   /* the word has ended, and can only have ended in `state` */
	uint32_t state;
	struct kt_misfit
		*misfits; /* Owned by this: the recorded misfits, the earliest first */
	size_t n_listed;
	size_t capacity;
	/* Owned by this: for each letter below n_counts, how often the word has it */
	uint64_t *counts;
	size_t n_counts;
	size_t counts_capacity;
	kt_check_word *reading; /* Owned by this; NULL once the word has ended */
	uint32_t recent[KT_MISFIT_BEFORE];
	uint32_t call; /* the latest letter that is a CUDA call; or KT_CHECK_UNKNOWN */
};

typedef struct kt_checker kt_checker;

/* Reports a misfit as soon as it is known; returns a status. */
typedef int kt_misfit_fn(void *context, const kt_checker *checker, size_t word,
			 const struct kt_misfit *misfit);

struct kt_checker_options {
	bool all;       /* continue after the first misfit of a word */
	bool whole;     /* words must end where complete words of the machine end */
	bool coverage;  /* note which transitions the words take */
	uint64_t limit; /* misfits recorded and reported per word */
	enum kt_names names;
	kt_misfit_fn *on_misfit; /* NULL: none */
	void *context;           /* Weak: passed to on_misfit */
};

#define KT_CHECKER_LIMIT 100

/*
 * Creates a checker. `fsm` is borrowed and must outlive *out, which the caller owns. Fails
 * like kt_check_new().
 */
int kt_checker_new(kt_checker **out, const struct kt_fsm *fsm,
		   const struct kt_checker_options *options);

/* Frees a checker; NULL is allowed. */
void kt_checker_free(kt_checker *checker);

/*
 * Writes the checker's number of a letter to *out; a letter without a number gets the next
 * one, whether or not the machine has the letter. O(length) expected.
 */
int kt_checker_letter(kt_checker *checker, uint32_t *out, const char *name, size_t length);

/* Returns a letter's name, owned by the checker. */
const char *kt_checker_letter_name(const kt_checker *checker, uint32_t letter);

/* Returns the name of a letter of the machine, as in a misfit's `expected`. */
const char *kt_checker_expected_name(const kt_checker *checker, uint32_t letter);

/*
 * Sets the path of the trace that contains the words begun from now on. The path is
 * borrowed, and must outlive the checker.
 */
void kt_checker_set_trace(kt_checker *checker, const char *path);

/* Begins a word and writes its index among all words, from 0, to *number. */
int kt_checker_begin(kt_checker *checker, size_t *number, bool cut_begin, bool provisional);

/*
 * Reads the next letter of a word. O(1) expected if it fits and the word is in one state.
 */
int kt_checker_take(kt_checker *checker, size_t number, uint32_t letter,
		    const struct kt_event_position *position);

/* Ends a word. */
void kt_checker_end(kt_checker *checker, size_t number);

/* Sets what is known about a word at its end; the name is copied. */
int kt_checker_describe(kt_checker *checker, size_t number,
			const struct kt_word_info *info);

/* Confirms a provisional word: reports its pending misfits. */
int kt_checker_confirm(kt_checker *checker, size_t number);

/*
 * Of the words from number `from` on, keeps the words numbers[0..n), in the order of that
 * array, and drops the others.
 */
int kt_checker_select(kt_checker *checker, size_t from, const size_t *numbers, size_t n);

/*
 * Return the number of words so far, and one of the words. The pointer is valid until the
 * next kt_checker_begin() or kt_checker_select().
 */
size_t kt_checker_count(const kt_checker *checker);
const struct kt_checked_word *kt_checker_word(const kt_checker *checker, size_t number);

/*
 * Returns whether all words of the machine are complete and equal. If so, sets *times to
 * how often each word of the machine has the letter, which is 0 if the machine does not
 * have the letter.
 */
bool kt_checker_usual(uint64_t *times, const kt_checker *checker, uint32_t letter);

/*
 * Returns the number of different letters so far: letters of checked words and, if
 * kt_checker_usual() returns true, all letters of the machine.
 */
uint32_t kt_checker_letters(const kt_checker *checker);

/*
 * Returns whether a word without a misfit has ended too early: its end is truncated, or it
 * ended in a state in which no complete word of the machine ends. Returns false unless the
 * option `whole` is set.
 */
bool kt_checker_is_early(const kt_checker *checker, const struct kt_checked_word *word);

/*
 * Returns the number of misfits and early ends in all words, and sets *words to the number
 * of words with a misfit or an early end. O(words).
 */
uint64_t kt_checker_misfits(const kt_checker *checker, size_t *words);

const struct kt_fsm *kt_checker_fsm(const kt_checker *checker);
const struct kt_checker_options *kt_checker_options(const kt_checker *checker);

/*
 * Returns whether any word took the transition of the machine with this index. Needs the
 * option `coverage`. A letter that was read while its word might be in several states
 * counts for no transition.
 */
bool kt_checker_taken(const kt_checker *checker, size_t transition);

#endif
