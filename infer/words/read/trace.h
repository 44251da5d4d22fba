/* SPDX-License-Identifier: MIT */
/*
 * Traces as words: for all who need a trace. Opening one reads it whole; then its words can
 * be asked for, letter by letter, in order.
 *
 * Not thread-safe (Babeltrace is not); a trace that is open may be read by many threads.
 */
#ifndef KTAIL_WORDS_TRACE_H
#define KTAIL_WORDS_TRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <ktail/words.h>

#include "infer/words/alphabet/alphabet.h"
#include "infer/words/split/collect.h"

struct bt_interrupter;
struct kt_events_options;
struct kt_kept_events;

typedef struct kt_trace kt_trace;

struct kt_trace_options {
	const kt_alphabet *alphabet; /* Weak: needed only while the trace is opened */
	enum kt_word_unit word;
	enum kt_source source;
	/* Weak, as long as the trace; not NULL: events of these shapes are kept, to be read
	 * with kt_events_of(). The source is that of the words. */
	const struct kt_events_options *events;

	/*
	 * Weak; NULL: letters are kept. Else they are told to it while the trace is read,
	 * and its words have none that can be asked for afterwards. `opened` is called
	 * before the first; what it is given is valid as long as the trace is open.
	 */
	const struct kt_word_listener *listener;
	void (*opened)(void *context, kt_collector *collector, const kt_letters *letters);
	const struct bt_interrupter *stop; /* Weak: set, it ends a live session; or NULL */
};

/* What is to be said about a trace besides its words. */
struct kt_trace_report {
	struct kt_collect_totals totals;
	uint64_t discarded_events;  /* of streams with our events, as the tracer counted */
	uint64_t discarded_packets; /* likewise */
	size_t cut_files;           /* stream files that end inside a packet */
	size_t damaged_files; /* stream files with a damaged packet, used up to there */
	uint64_t cut_bytes;   /* bytes after the last packets used of both */
	char damage[1024];    /* what the first damage is; "": there is none */
	int64_t first_time; /* of the first event of ours as it is read, ns since the epoch
			     */
	int64_t last_time;  /* of the last one */
	char stopped[1024]; /* why reading stopped before the end; "" if it did not */
};

/* A letter of a word, with what travels beside it. */
struct kt_trace_letter {
	const char *name; /* owned by the trace */
	uint32_t letter;  /* its number within the trace, from 0 */
	uint32_t tid;
	int64_t time; /* ns since the epoch */
	uint64_t seq; /* of the event that gave it, within its process */
};

/*
 * Reads the CTF trace in a folder, or all traces below it as one; words are named after the
 * folder. A live session, net://HOST/host/NAME/SESSION, is read until it ends. The caller
 * owns *out.
 *
 * KT_E_USAGE if words are channels and the alphabet is not one of commands, KT_E_IO if it
 * cannot be read, KT_E_MALFORMED if Babeltrace refuses it or the alphabet
 * does not fit, KT_E_EMPTY if there is no trace in the folder. A trace that is cut, or that
 * stops making sense, is read as far as it goes: see kt_trace_report(). A trace without any
 * event of ours is no failure here: totals.events is 0. O(events) in time and memory, about
 * 40 bytes an event, or none with a listener.
 */
int kt_trace_open(kt_trace **out, const char *path, const struct kt_trace_options *options);

/* NULL is allowed. */
void kt_trace_free(kt_trace *trace);

const struct kt_trace_report *kt_trace_report(const kt_trace *trace);

/* The events that were kept: for kt_events_of(). */
const struct kt_kept_events *kt_trace_kept(const kt_trace *trace);

/* Words, by process in order of first event. */
size_t kt_trace_words(const kt_trace *trace);

/* The i-th word and its number of letters. KT_E_USAGE if there is none. */
int kt_trace_word(const kt_trace *trace, size_t i, struct kt_word_info *info, uint64_t *n);

/*
 * Which life of which process the i-th word, which there is, was made of: the same number
 * as kt_event.process (events.h) of the events that gave its letters.
 */
uint64_t kt_trace_word_instance(const kt_trace *trace, size_t i);

/* The j-th letter of the i-th word. KT_E_USAGE if there is none. O(1). */
int kt_trace_letter(const kt_trace *trace, size_t i, uint64_t j,
		    struct kt_trace_letter *out);

/*
 * Copies the numbers of letters [from, from + n) of the i-th word to out. KT_E_USAGE if the
 * word is shorter.
 */
int kt_trace_numbers(const kt_trace *trace, size_t i, uint64_t from, size_t n,
		     uint32_t *out);

/* Distinct letters; their numbers are below that. */
size_t kt_trace_letter_count(const kt_trace *trace);
const char *kt_trace_letter_name(const kt_trace *trace, uint32_t letter);

/* Appends all words of the trace to a set. O(letters). */
int kt_trace_append(const kt_trace *trace, kt_words *words);

#endif
