/* SPDX-License-Identifier: MIT */
/*
 * Feeds a checker from traces while they are read, from .events files, and from live
 * sessions.
 */
#ifndef KTAIL_CHECK_SOURCES_H
#define KTAIL_CHECK_SOURCES_H

#include "base/versions.h"
#include "infer/check/checker.h"
#include "infer/words/read/trace.h"

/* The listener for the words of one trace. */
struct kt_checked_trace {
	kt_checker *checker;     /* Weak */
	kt_collector *collector; /* Weak: the trace's */
	const kt_letters *names; /* Weak: names of the trace's letters */
	struct kt_word_listener listener;
	size_t first;   /* the checker's index of the trace's first word */
	uint32_t *pids; /* Owned by this: by word of the trace, its pid */
	size_t n;
	size_t pids_capacity;
	uint32_t *letters; /* Owned by this: by letter of the trace, the checker's number of
			      it */
	size_t n_letters;
	size_t letters_capacity;
	/* After kt_check_trace(): which calls were traced, see kt_versions_api_calls() */
	char api_calls[KT_VERSIONS_MODE];
};

/* Initialises *trace. Call this before the first event. */
void kt_checked_trace_begin(struct kt_checked_trace *trace, kt_checker *checker);

/*
 * Callback for `opened` in struct kt_trace_options; the context is a struct
 * kt_checked_trace.
 */
void kt_checked_trace_opened(void *context, kt_collector *collector,
			     const kt_letters *names);

/*
 * Names the words and reports pending misfits. Call after the last event, once the
 * collector is finished.
 */
int kt_checked_trace_finish(struct kt_checked_trace *trace);

/* Frees what *trace owns. */
void kt_checked_trace_clear(struct kt_checked_trace *trace);

/*
 * Checks that the machine in the file `machine`, which was made with `alphabet`, is suited
 * to words of `source`. KT_E_USAGE if only the machine or only the words are of both
 * sources.
 */
int kt_check_source(const kt_alphabet *alphabet, enum kt_source source,
		    const char *machine);

/*
 * KT_E_USAGE, with the reason, if some letters of the alphabet become known only after
 * their events. The machine in the file `machine` then cannot check a live session.
 */
int kt_check_live_alphabet(const kt_alphabet *alphabet, const char *machine);

/*
 * Reads the trace in the folder `path` as *options says; options->listener and
 * options->opened are set here. The caller provides *checked, which on_misfit() may pass to
 * kt_check_name(), and *report, which receives the losses of the trace. Fails like
 * kt_trace_open().
 */
int kt_check_trace(kt_checker *checker, struct kt_checked_trace *checked, const char *path,
		   struct kt_trace_options *options, struct kt_trace_report *report);

/*
 * Reads an .events file, or standard input for "-", line by line, through a filter. If the
 * filter leaves out all letters of a word, the word is dropped and its number of lost
 * events is added to that of the next word, as in kt_copy_words(). *lost, which the caller
 * sets to 0 before the first file, holds the number until there is a next word.
 */
int kt_check_events(kt_checker *checker, const char *path,
		    const struct kt_letter_filter *filter, uint64_t *lost);

/* Like kt_check_events(), for all words of a set. */
int kt_check_set(kt_checker *checker, const kt_words *words,
		 const struct kt_letter_filter *filter, uint64_t *lost);

/*
 * Makes the printable name of a word whose misfit is reported early: the final name if it
 * is known, otherwise the name so far according to `trace`, which may be NULL. The caller
 * frees *out.
 */
int kt_check_name(char **out, const kt_checker *checker, size_t number,
		  const struct kt_checked_trace *trace);

/*
 * Finds the alphabet and the unit with which the words to be checked must be read: the ones
 * that the machine was made with. If the machine does not record them, for example because
 * it was made from .events files, `asked_alphabet` (a name or file, which is opened for
 * words of `source`) and `asked_word` supply them; both may be NULL.
 *
 * `name` names the machine in messages. The caller owns *alphabet, which is NULL if the
 * alphabet is unknown. KT_E_USAGE if asked_alphabet or asked_word contradicts the machine,
 * KT_E_MALFORMED if the machine names an unknown unit or alphabet.
 */
int kt_check_agree(kt_alphabet **alphabet, enum kt_word_unit *unit,
		   const struct kt_fsm *fsm, const char *name, const char *asked_alphabet,
		   const char *asked_word, enum kt_source source);

#endif
