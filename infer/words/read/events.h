/* SPDX-License-Identifier: MIT */
/*
 * The events of gpu_stack in a trace, one at a time: for who needs what they say rather
 * than the words that they make. Memory does not grow with their number, but for 16 bytes
 * for each gap in a process's numbers.
 *
 * They come in the order of time of all traces together, but those of one process in order
 * of their sequence numbers: where one is missing, up to KT_EVENTS_WINDOW events after it
 * wait for it. A trace that may have events of both sides, user space and the kernel, is
 * read twice: the first time for which processes both tell of. Not thread-safe (Babeltrace
 * is not).
 */
#ifndef KTAIL_WORDS_EVENTS_H
#define KTAIL_WORDS_EVENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "infer/words/read/trace.h"

#define KT_EVENTS_WINDOW 4096

typedef struct kt_events kt_events;

/* A field that will be asked for often: of one event, by names. */
struct kt_event_slot {
	const char *event; /* without the provider: "doorbell" */
	const char *field;
};

struct kt_events_options {
	const struct kt_event_slot *slots; /* Weak: as long as the events are open */
	size_t n_slots;
	enum kt_source source; /* of processes that both sides tell of: sides.h */
};

struct kt_event_source; /* where its fields are */

struct kt_event {
	const char *name; /* without the provider: "doorbell" */
	int64_t time;     /* ns since the epoch; 0: the trace has no clock */
	uint32_t pid;
	uint32_t tid;
	uint64_t seq;
	uint64_t process; /* which life of those that are read, from 0, by first event */
	const char *process_name; /* of its process_begin, or a context; else "unknown" */
	bool kernel;              /* of the kernel's provider */
	struct kt_event_source *source; /* Weak */
};

/*
 * Opens the CTF trace in a folder, or all below it as one; `options` may be NULL. The
 * caller owns *out. Fails as kt_trace_open() does.
 */
int kt_events_open(kt_events **out, const char *path,
		   const struct kt_events_options *options);

/* NULL is allowed. */
void kt_events_free(kt_events *events);

/*
 * The next event, valid until the next call; NULL: there is none any more. A trace that is
 * cut, or that stops making sense, ends there: see kt_events_report(). KT_E_MALFORMED if an
 * event of ours has no pid. Amortised O(1).
 */
int kt_events_next(kt_events *events, const struct kt_event **out);

/*
 * What is to be said about the trace so far; all of it once kt_events_next() gave NULL.
 * totals.events counts those that are left out as well; cut_begins and cut_ends count
 * processes.
 */
const struct kt_trace_report *kt_events_report(const kt_events *events);

/*
 * The value of a slot (its place in options->slots). false: it is of another event, or the
 * event has no such field, or it is of another kind. Texts and words belong to the events
 * and are valid until the next call of kt_events_next(); words until the next words.
 */
bool kt_event_unsigned(const struct kt_event *event, size_t slot, uint64_t *out);
bool kt_event_signed(const struct kt_event *event, size_t slot, int64_t *out);
bool kt_event_string(const struct kt_event *event, size_t slot, const char **out);
/* A sequence of unsigned numbers of at most 32 bits. O(n). */
bool kt_event_words(const struct kt_event *event, size_t slot, const uint32_t **words,
		    size_t *n);
/*
 * A sequence of unsigned numbers of any size: the first ones, as many as there is room for,
 * are copied to out[]. *n: how many there are. O(n).
 */
bool kt_event_numbers(const struct kt_event *event, size_t slot, uint64_t *out, size_t room,
		      size_t *n);

/* The same by name. O(fields) more. */
bool kt_event_named_unsigned(const struct kt_event *event, const char *field,
			     uint64_t *out);
bool kt_event_named_signed(const struct kt_event *event, const char *field, int64_t *out);
bool kt_event_named_string(const struct kt_event *event, const char *field,
			   const char **out);
bool kt_event_named_words(const struct kt_event *event, const char *field,
			  const uint32_t **words, size_t *n);

#endif
