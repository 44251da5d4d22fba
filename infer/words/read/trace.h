/* SPDX-License-Identifier: MIT */
/*
 * Reads traces as words. Opening a trace reads all of it; afterwards its words can be read
 * letter by letter.
 *
 * kt_trace_open() is not thread-safe, because Babeltrace is not. Several threads may read
 * an open trace.
 */
#ifndef KTAIL_WORDS_TRACE_H
#define KTAIL_WORDS_TRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <ktail/words.h>

#include "infer/words/alphabet/alphabet.h"
#include "infer/words/read/given-up.h"
#include "infer/words/split/collect.h"
#include "infer/words/split/trace-filter.h"

struct bt_interrupter;
struct kt_events_options;
struct kt_kept_events;

typedef struct kt_trace kt_trace;

struct kt_trace_options {
	const kt_alphabet *alphabet; /* Weak: used only by kt_trace_open() */
	enum kt_word_unit word;
	enum kt_source source;
	/* Weak: used only by kt_trace_open(); NULL: the whole trace */
	const struct kt_trace_filter *filter;
	/*
	 * Weak; NULL: no events are kept. Otherwise all events are kept for kt_events_of(),
	 * with the fields of events->shapes, which must outlive the trace. events->source
	 * is ignored: events and words come from the same sources.
	 */
	const struct kt_events_options *events;

	/*
	 * Weak; NULL: letters are kept. Otherwise letters are not kept, but reported to the
	 * listener while the trace is read. `opened` is called before the first letter; its
	 * arguments are valid while the trace is open.
	 */
	const struct kt_word_listener *listener;
	void (*opened)(void *context, kt_collector *collector, const kt_letters *letters);
	/*
	 * Weak: reading ends when this is set, for example to leave a live session; may be
	 * NULL
	 */
	const struct bt_interrupter *stop;
};

/* Losses and times of a trace. */
struct kt_trace_report {
	struct kt_collect_totals totals;
	/*
	 * events that the tracer itself counted as discarded, in streams that can have
	 * gpu_stack events
	 */
	uint64_t discarded_events;
	uint64_t discarded_packets; /* discarded packets in the same streams */
	size_t cut_files;           /* stream files that end inside a packet */
	/* stream files with a damaged packet, used up to that packet */
	size_t damaged_files;
	/* total of the bytes after the last usable packet of each cut or damaged file */
	uint64_t cut_bytes;
	char damage[1024];  /* description of the first damage; "": none */
	int64_t first_time; /* of the first gpu_stack event read, ns since the epoch */
	int64_t last_time;  /* of the last gpu_stack event read, ns since the epoch */
	/* the alphabet is `roles`, and the role of an access was not recorded */
	bool without_roles;
	struct kt_given_up_list given_up; /* accesses or commands */
	/* why the trace became unreadable; "": it was read to the end */
	char stopped[1024];
};

/* A letter of a word and the event it came from. */
struct kt_trace_letter {
	const char *name; /* Weak: owned by the trace */
	uint32_t letter;  /* number of the letter in the trace, from 0 */
	uint32_t tid;
	int64_t time; /* ns since the epoch */
	/*
	 * sequence number of the event in its process; with KT_SOURCE_BOTH, its number
	 * among the merged events (both.h)
	 */
	uint64_t seq;
};

/*
 * Reads the CTF trace in a folder, or all traces below the folder as one; words are named
 * after the folder. A live session, net://HOST/host/NAME/SESSION, is read until it ends.
 * The caller owns *out.
 *
 * KT_E_USAGE if words are channels, or if the filter selects channels, with an alphabet
 * that is not a command alphabet; also if words are channels and the filter selects calls
 * or phases. With KT_SOURCE_BOTH, also if the alphabet has no letters for events of the
 * kernel alone, if words are not processes, or if the trace does not have events of both
 * sources. KT_E_IO if the trace cannot be read. KT_E_MALFORMED if Babeltrace refuses the
 * trace, or if the alphabet does not fit it. KT_E_EMPTY if the folder has no trace. A trace
 * that is truncated or becomes unreadable is read up to that point: see kt_trace_report().
 * A trace without gpu_stack events is not an error: totals.events is 0. O(events) in time
 * and in memory, about 40 bytes per event; with a listener, memory does not grow with the
 * events, unless KT_SOURCE_BOTH is asked for.
 */
int kt_trace_open(kt_trace **out, const char *path, const struct kt_trace_options *options);

/* `trace` may be NULL. */
void kt_trace_free(kt_trace *trace);

const struct kt_trace_report *kt_trace_report(const kt_trace *trace);

/* Returns the versions of the software and hardware that the trace was recorded with. */
const struct kt_versions *kt_trace_versions(const kt_trace *trace);

/* Returns the events kept by kt_trace_options.events, for kt_events_of(). */
const struct kt_kept_events *kt_trace_kept(const kt_trace *trace);

/*
 * Returns the number of words. Words are ordered by process, and processes by first event.
 */
size_t kt_trace_words(const kt_trace *trace);

/* Gets the i-th word and its number of letters. KT_E_USAGE if there is no such word. */
int kt_trace_word(const kt_trace *trace, size_t i, struct kt_word_info *info, uint64_t *n);

/*
 * Returns the number of the process instance of the i-th word, which must exist.
 * kt_event.process (events.h) is the same number in the events that gave the letters.
 */
uint64_t kt_trace_word_instance(const kt_trace *trace, size_t i);

/*
 * Gets the j-th letter of the i-th word. KT_E_USAGE if there is no such letter, or if
 * letters were reported to a listener. O(1).
 */
int kt_trace_letter(const kt_trace *trace, size_t i, uint64_t j,
		    struct kt_trace_letter *out);

/*
 * Copies the numbers of letters [from, from + n) of the i-th word to `out`. KT_E_USAGE if
 * the word is shorter, or if letters were reported to a listener.
 */
int kt_trace_numbers(const kt_trace *trace, size_t i, uint64_t from, size_t n,
		     uint32_t *out);

/* Returns the number of distinct letters, which are numbered from 0. */
size_t kt_trace_letter_count(const kt_trace *trace);
const char *kt_trace_letter_name(const kt_trace *trace, uint32_t letter);

/* Appends all words of the trace to a set. O(letters). */
int kt_trace_append(const kt_trace *trace, kt_words *words);

#endif
