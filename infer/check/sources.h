/* SPDX-License-Identifier: MIT */
/*
 * Feeds a checker from traces while they are read, from .events files, and from live
 * sessions.
 */
#ifndef KTAIL_CHECK_SOURCES_H
#define KTAIL_CHECK_SOURCES_H

#include "infer/check/checker.h"
#include "infer/words/read/trace.h"

/* The listener for the words of one trace. */
struct kt_checked_trace {
	kt_checker *checker;     /* Weak */
	kt_collector *collector; /* Weak: of the trace */
	const kt_letters *names; /* Weak: likewise */
	struct kt_word_listener listener;
	size_t first;   /* the checker's index of the trace's first word */
	uint32_t *pids; /* Owned by this: of each word */
	size_t n;
	size_t pids_capacity;
	uint32_t *letters; /* Owned by this: the trace's letters -> the checker's */
	size_t n_letters;
	size_t letters_capacity;
};

/* Initialises it, before the first event. */
void kt_checked_trace_begin(struct kt_checked_trace *trace, kt_checker *checker);

/* The `opened` of struct kt_trace_options; the context is a struct kt_checked_trace. */
void kt_checked_trace_opened(void *context, kt_collector *collector,
			     const kt_letters *names);

/*
 * Names the words and reports pending misfits. Call after the last event, once the
 * collector is finished.
 */
int kt_checked_trace_finish(struct kt_checked_trace *trace);

/* Frees what it owns. */
void kt_checked_trace_clear(struct kt_checked_trace *trace);

/*
 * Reads the trace in a folder. *checked, the caller's, may be passed to kt_check_name()
 * meanwhile; *report, the caller's, receives the trace's losses. `options` says how the
 * trace is read; its listener is set here. Fails like kt_trace_open().
 */
int kt_check_trace(kt_checker *checker, struct kt_checked_trace *checked, const char *path,
		   struct kt_trace_options *options, struct kt_trace_report *report);

/*
 * Reads an .events file, or standard input for "-", line by line, through a filter. As in
 * kt_copy_words(), a word whose letters are all left out is none; the next word has its
 * loss, too. *lost, the caller's, is such a loss that no word has yet.
 */
int kt_check_events(kt_checker *checker, const char *path,
		    const struct kt_letter_filter *filter, uint64_t *lost);

/* Reads all words of a set, in the same way. */
int kt_check_set(kt_checker *checker, const kt_words *words,
		 const struct kt_letter_filter *filter, uint64_t *lost);

/*
 * Makes a word's printable name for a misfit reported early: the final name if it is known,
 * otherwise what `trace`, which may be NULL, knows so far. The caller frees *out.
 */
int kt_check_name(char **out, const kt_checker *checker, size_t number,
		  const struct kt_checked_trace *trace);

/*
 * Finds the alphabet and unit for reading words for a machine: those that the machine was
 * made with. `asked_alphabet` (a name or file) and `asked_word` may be NULL, and supply
 * what the machine does not record, for example because it was made from .events files.
 * `name` is the machine's, for messages. The caller owns *alphabet, NULL if unknown.
 * KT_E_USAGE if a request contradicts the machine, KT_E_MALFORMED if the machine names an
 * unknown unit or alphabet.
 */
int kt_check_agree(kt_alphabet **alphabet, enum kt_word_unit *unit,
		   const struct kt_fsm *fsm, const char *name, const char *asked_alphabet,
		   const char *asked_word);

#endif
