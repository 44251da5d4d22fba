/* SPDX-License-Identifier: MIT */
/*
 * The events of gpu_stack in a trace, one at a time: for who needs what they say rather
 * than the words that they make.
 *
 * They come in the order of time of all traces together, but those of one process in order
 * of their sequence numbers: where one is missing, up to KT_EVENTS_WINDOW events after it
 * are pending until it comes. A trace is read once. Memory does not grow with the number of
 * its events, but for 16 bytes for each gap in a process's numbers; where it may have
 * events of both sources, user space and the kernel, all are kept (kept-events.h) until its
 * end, when it is known which processes both tell of. Not thread-safe (Babeltrace is not).
 */
#ifndef KTAIL_WORDS_EVENTS_H
#define KTAIL_WORDS_EVENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "infer/words/read/trace.h"

#define KT_EVENTS_WINDOW 4096

typedef struct kt_events kt_events;

/* A sequence of unsigned numbers of at most 32 bits; items is NULL where there is none. */
struct kt_event_words {
	const uint32_t *items; /* Weak: the event's, until the next words are read */
	size_t n;
};

/* A sequence of unsigned numbers of any size: the first ones. */
#define KT_EVENT_NUMBERS 8
struct kt_event_numbers {
	uint64_t items[KT_EVENT_NUMBERS];
	size_t n; /* of these */
};

/* What a member of a struct is that keeps a field. */
enum kt_field_type {
	KT_FIELD_TEXT, /* const char *: the event's; "" where there is none */
	KT_FIELD_BOOL, /* an unsigned number that is not 0 */
	KT_FIELD_UINT32,
	KT_FIELD_UINT64,
	KT_FIELD_INT32,
	KT_FIELD_INT64,
	KT_FIELD_WORDS,   /* struct kt_event_words */
	KT_FIELD_NUMBERS, /* struct kt_event_numbers */
};

struct kt_event_field {
	const char *name;
	enum kt_field_type type;
	size_t offset; /* of the member that keeps it */
};

/* A field of an event that a member of `struct structure` keeps, whose type says how. */
#define KT_EVENT_FIELD(structure, member, field)                                             \
	{                                                                                    \
		field,                                                                     \
			_Generic(((struct structure *)NULL)->member,                       \
				const char *: KT_FIELD_TEXT,                               \
				bool: KT_FIELD_BOOL,                                       \
				uint32_t: KT_FIELD_UINT32,                                 \
				uint64_t: KT_FIELD_UINT64,                                 \
				int32_t: KT_FIELD_INT32,                                   \
				int64_t: KT_FIELD_INT64,                                   \
				struct kt_event_words: KT_FIELD_WORDS,                     \
				struct kt_event_numbers: KT_FIELD_NUMBERS),                \
			offsetof(struct structure, member) \
	}

/* An event that will be asked for its fields. */
struct kt_event_shape {
	const char *name; /* without the provider: "doorbell" */
	const struct kt_event_field *fields;
	size_t n;
};

struct kt_events_options {
	const struct kt_event_shape *shapes; /* Weak: as long as the events are open */
	size_t n_shapes;
	enum kt_source source; /* of processes that both sides tell of: sources.h */
};

struct kt_event {
	const char *name; /* without the provider: "doorbell" */
	int64_t time;     /* ns since the epoch; 0: the trace has no clock */
	uint32_t pid;
	uint32_t tid;
	uint64_t seq;
	uint64_t process; /* which life of those that are read, from 0, by first event */
	const char *process_name; /* of its process_begin, or a context; else "unknown" */
	size_t shape;      /* its place in options->shapes; n_shapes: it has none there */
	bool kernel;       /* of the kernel's provider */
	bool call;         /* api_enter or api_exit, with a correlation and a name */
	kt_events *events; /* Weak: has its fields */
};

/*
 * Opens the CTF trace in a folder, or all below it as one; `options` may be NULL. The
 * caller owns *out. Fails as kt_trace_open() does.
 */
int kt_events_open(kt_events **out, const char *path,
		   const struct kt_events_options *options);

/*
 * The events that a trace has kept (kt_trace_options.events), from the first one on, but
 * for those of processes that its words are not of; as often as wanted. The trace outlives
 * them; the caller owns *out. KT_E_MEMORY.
 */
int kt_events_of(kt_events **out, const kt_trace *trace);

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
 * Reads the fields of the event's shape into a struct, whose other members stay as they
 * are. A field that the event lacks, or has of another kind, is 0 or "". O(fields and
 * words).
 */
void kt_event_read(const struct kt_event *event, void *out);

#endif
