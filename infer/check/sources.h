/* SPDX-License-Identifier: MIT */
/* Where a checker's words come from: traces as they are read, .events files, live ones. */
#ifndef KTAIL_CHECK_SOURCES_H
#define KTAIL_CHECK_SOURCES_H

#include "infer/check/checker.h"
#include "infer/words/read/trace.h"

/* What hears of the words of one trace. */
struct kt_checked_trace {
	kt_checker *checker;     /* Weak */
	kt_collector *collector; /* Weak: of the trace */
	const kt_letters *names; /* Weak: likewise */
	struct kt_word_listener listener;
	size_t first;   /* the checker's words from there on are its */
	uint32_t *pids; /* Owned by this: of each */
	size_t n;
	size_t pids_capacity;
	uint32_t *letters; /* Owned by this: the checker's number of each of the trace's */
	size_t n_letters;
	size_t letters_capacity;
};

/* Before its first event. */
void kt_checked_trace_begin(struct kt_checked_trace *trace, kt_checker *checker);

/* The `opened` of struct kt_trace_options; the context is a struct kt_checked_trace. */
void kt_checked_trace_opened(void *context, kt_collector *collector,
			     const kt_letters *names);

/*
 * After its last event, once the collector is finished: its words get their names, and
 * what was held back is told.
 */
int kt_checked_trace_finish(struct kt_checked_trace *trace);

/* Frees what it owns. */
void kt_checked_trace_clear(struct kt_checked_trace *trace);

/*
 * Reads the trace in a folder. *checked, the caller's, is of use to kt_check_name() in the
 * meantime. *report, the caller's, says what the trace lacks. `options` tells how it is
 * read; its listener is set here. Fails as kt_trace_open() does.
 */
int kt_check_trace(kt_checker *checker, struct kt_checked_trace *checked, const char *path,
		   struct kt_trace_options *options, struct kt_trace_report *report);

/* Reads an .events file, or standard input for "-", as its lines come, through a filter. */
int kt_check_events(kt_checker *checker, const char *path,
		    const struct kt_letter_filter *filter);

/* Reads all words of a set, likewise. */
int kt_check_set(kt_checker *checker, const kt_words *words,
		 const struct kt_letter_filter *filter);

/*
 * The name of a word for who is told of a misfit on the way, printable: the last one if it
 * is known, else as good as `trace` knows it; NULL is allowed for that. The caller frees
 * *out.
 */
int kt_check_name(char **out, const kt_checker *checker, size_t number,
		  const struct kt_checked_trace *trace);

/*
 * How words for a machine are read: as its own were. `asked_alphabet` (its name or file)
 * and `asked_word` may be NULL; they may say what the machine does not: a machine of
 * .events files says nothing. `name` is the machine's in messages. The caller owns
 * *alphabet, which is NULL if nobody says it. KT_E_USAGE if what was asked for is not what
 * the machine says, KT_E_MALFORMED if the machine says something that there is not.
 */
int kt_check_agree(kt_alphabet **alphabet, enum kt_word_unit *unit,
		   const struct kt_fsm *fsm, const char *name, const char *asked_alphabet,
		   const char *asked_word);

#endif
