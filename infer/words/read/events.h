/* SPDX-License-Identifier: MIT */
/*
 * Iterates over the gpu_stack events of a trace, for readers that need fields rather than
 * words. A trace is read once. Not thread-safe, because Babeltrace is not.
 *
 * Events come in the order of time, except that the events of one process instance come in
 * the order of their sequence numbers: if an event is missing, up to KT_EVENTS_WINDOW later
 * events wait for it. Memory does not grow with the number of events, except for 16 bytes
 * per gap in the sequence numbers of a process. If a trace may have events of both sources,
 * user space and the kernel, all events are kept (kept-events.h) until the trace ends,
 * because it is not known earlier which processes both sources recorded.
 */
#ifndef KTAIL_WORDS_EVENTS_H
#define KTAIL_WORDS_EVENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "infer/words/read/trace.h"

#define KT_EVENTS_WINDOW 4096

typedef struct kt_events kt_events;

/*
 * A sequence of unsigned numbers of at most 32 bits; `items` is NULL if the field is
 * missing.
 */
struct kt_event_words {
	const uint32_t *items; /* Weak: valid until the next sequence is read */
	size_t n;
};

/*
 * The first KT_EVENT_NUMBERS elements of a sequence of unsigned numbers of at most 64 bits.
 */
#define KT_EVENT_NUMBERS 8
struct kt_event_numbers {
	uint64_t items[KT_EVENT_NUMBERS];
	size_t n; /* number of `items` in use */
};

/* Type of the struct member that stores a field. */
enum kt_field_type {
	KT_FIELD_TEXT, /* const char *: valid until the next event; "" if missing */
	KT_FIELD_BOOL, /* true if the unsigned number is not 0 */
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
	size_t offset; /* offset of the struct member that stores the field */
};

/*
 * Says that the field called `field` is stored in `member` of `struct structure`. The C
 * type of the member selects the enum kt_field_type.
 */
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

/* The fields to read from all events with one name. */
struct kt_event_shape {
	const char *name; /* without the provider: "doorbell" */
	const struct kt_event_field *fields;
	size_t n;
};

struct kt_events_options {
	const struct kt_event_shape *shapes; /* Weak: must outlive the events */
	size_t n_shapes;
	/* the source that is used for a process which both sources recorded (sources.h) */
	enum kt_source source;

	/*
	 * Weak: reading ends when this is set, for example by a signal handler; may be NULL
	 */
	const struct bt_interrupter *stop;
	/*
	 * May be NULL. If it is set, the path may be the URL of a live session,
	 * net://HOST/host/NAME/SESSION, which is read until it ends. The function is
	 * called, between two events, with the time that the session has reached, in ns
	 * since the epoch: events with an earlier time do not follow, unless they waited
	 * for missing ones, which takes KT_STREAM_PATIENCE at most. If the session has
	 * events of both sources, only those of `source` are read. A status other than
	 * KT_OK ends the reading.
	 */
	int (*pass)(void *context, int64_t now);
	void *context; /* Weak: of `pass` */
};

struct kt_event {
	const char *name; /* without the provider: "doorbell" */
	int64_t time;     /* ns since the epoch; 0: the trace has no clock */
	uint32_t pid;
	uint32_t tid;
	uint64_t seq;
	/* ordinal of the process instance among those not left out, by first event */
	uint64_t process;
	/* may be empty; "unknown" if no event names the process */
	const char *process_name;
	/* index in options->shapes; n_shapes if the event has no shape */
	size_t shape;
	bool kernel;       /* from the kernel provider */
	bool call;         /* api_enter or api_exit with a correlation and a name */
	kt_events *events; /* Weak: holds the fields */
};

/*
 * Opens the CTF trace in a folder, or all traces below the folder as one; `options` may be
 * NULL. The caller owns *out. Fails as kt_trace_open() does.
 */
int kt_events_open(kt_events **out, const char *path,
		   const struct kt_events_options *options);

/*
 * Iterates over the events that a trace has kept (kt_trace_options.events), from the first
 * one. Skips process instances that were left out because they are taken from the other
 * source. Can be called several times. The trace must outlive *out, which the caller owns.
 * KT_E_MEMORY.
 */
int kt_events_of(kt_events **out, const kt_trace *trace);

/* `events` may be NULL. */
void kt_events_free(kt_events *events);

/*
 * Gets the next event, valid until the next call; *out is NULL at the end. A trace that is
 * truncated or becomes unreadable ends at that point: see kt_events_report().
 * KT_E_MALFORMED if a gpu_stack event has no pid. Amortised O(1).
 */
int kt_events_next(kt_events *events, const struct kt_event **out);

/*
 * Returns the report on the trace so far; it is complete once kt_events_next() gave NULL.
 * totals.events also counts events that were left out. totals.cut_begins and
 * totals.cut_ends count process instances instead of words.
 */
const struct kt_trace_report *kt_events_report(const kt_events *events);

/*
 * Reads the fields of the event's shape into the struct `out`, of which all other members
 * stay unchanged. A field that is missing or of another kind gives 0, "" or an empty
 * sequence. O(fields and dwords).
 */
void kt_event_read(const struct kt_event *event, void *out);

#endif
