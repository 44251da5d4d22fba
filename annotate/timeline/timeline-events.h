/* SPDX-License-Identifier: MIT */
/*
 * The events of a report, in columns: API calls, ioctls, doorbells, accesses, mappings and
 * waits of all traces. Traces are read one after another, each with
 * kt_timeline_events_begin(), then kt_activity_read() with the visitor.
 */
#ifndef KTAIL_ANNOTATE_TIMELINE_EVENTS_H
#define KTAIL_ANNOTATE_TIMELINE_EVENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "annotate/events/activity.h"
#include "base/texts.h"
#include "infer/words/memory/number-map.h"

#define KT_TIMELINE_NONE UINT32_MAX

/*
 * Limit of times and durations. Larger values, which only damaged traces have, are set to
 * this limit.
 */
#define KT_TIMELINE_LATEST (INT64_MAX / 4)

static inline int64_t kt_timeline_limited(uint64_t ns)
{
	return ns <= KT_TIMELINE_LATEST ? (int64_t)ns : KT_TIMELINE_LATEST;
}

/* Kinds of events, as numbered in the report. */
enum kt_timeline_kind {
	KT_TIMELINE_CALL,
	KT_TIMELINE_IOCTL,
	KT_TIMELINE_DOORBELL,
	KT_TIMELINE_ACCESS,
	KT_TIMELINE_MAP, /* mapped or unmapped */
	KT_TIMELINE_WAIT,
	KT_TIMELINE_OTHER, /* a process begins or ends, a device is opened or closed */
	KT_TIMELINE_KINDS,
};

/* Members of type uint32_t are KT_TIMELINE_NONE if there is none. */
struct kt_timeline_event {
	int64_t time;      /* when it began, ns since the first event of the report */
	uint64_t duration; /* ns; 0: unknown, or no time passes */
	enum kt_timeline_kind kind;
	uint32_t thread; /* index in `threads` */
	uint32_t name;   /* index in `names`, as are detail and label */
	uint32_t call;   /* index of the event of the innermost call around it */
	uint32_t
		detail; /* what the name does not say: the subject of a request, an error */
	uint32_t channel; /* of a doorbell: index in `channels` */
	uint32_t label;   /* what its letter means: set by the caller */
};

struct kt_timeline_thread {
	size_t trace;
	uint64_t instance; /* ordinal of the process instance */
	uint32_t pid;
	uint32_t tid;
	uint32_t process; /* index in `names` */
};

struct kt_timeline_channel {
	size_t trace;
	uint64_t instance;
	uint32_t client;
	uint32_t channel;    /* handle */
	uint32_t class_name; /* index in `names` */
};

/* The captured dwords of a ring entry, kept with kt_timeline_events.with_data. */
struct kt_timeline_dwords {
	uint32_t event; /* index of the doorbell's event; KT_TIMELINE_NONE: no doorbell */
	size_t trace;
	uint64_t submission; /* its number within the trace */
	bool found;          /* the entry's doorbell is unknown */
	size_t order;        /* position in the order in which entries were read */
	uint32_t *dwords;    /* Owned by this */
	size_t n;
};

/* An event that became a row, found by its sequence number. */
struct kt_timeline_seq {
	uint64_t seq;
	uint32_t event;
};

/* The rows of a process instance of the current trace, by ascending `seq`. */
struct kt_timeline_instance {
	struct kt_timeline_seq *seqs; /* Owned by this */
	size_t n;
	size_t capacity;
	bool cut;          /* an event got no row: the maximum number was reached */
	uint64_t cut_from; /* if cut: its `seq` */
};

/* Empty if all members are zero. Free with kt_timeline_events_free(). */
struct kt_timeline_events {
	bool with_data;
	struct kt_texts names;
	struct kt_timeline_event *events; /* Owned by this, as are the arrays below */
	size_t n;
	size_t capacity;
	struct kt_timeline_thread *threads;
	size_t n_threads;
	size_t threads_capacity;
	struct kt_timeline_channel *channels;
	size_t n_channels;
	size_t channels_capacity;
	struct kt_timeline_dwords *dwords;
	size_t n_dwords;
	size_t dwords_capacity;

	/* Of the current trace: */
	size_t trace;
	size_t most;       /* maximum number of rows; later events get none */
	uint64_t left_out; /* number of events without a row, of all traces */
	int64_t shift;     /* ns from the report's first event to the trace's first event */
	struct kt_timeline_instance *instances; /* Owned by this: by ordinal */
	size_t n_instances;
	size_t instances_capacity;
	struct kt_hash_index by_thread;
	struct kt_hash_index by_channel;
	struct kt_number_map calls; /* kt_activity_call.id -> index of its event */
};

/* Context: struct kt_timeline_events. */
extern const struct kt_activity_visitor kt_timeline_events_visitor;

/*
 * Begins the trace with this index, whose first event is `shift` ns after the report's. At
 * most `most` of its events, the first ones, become rows.
 */
void kt_timeline_events_begin(struct kt_timeline_events *events, size_t trace,
			      int64_t shift, uint64_t most);

/*
 * Returns the event of the current trace that gave the letter with this sequence number:
 * the last event of the process instance whose number is not larger than `seq`.
 * KT_TIMELINE_NONE if there is no such event, or if it got no row. O(log events).
 */
uint32_t kt_timeline_events_find(const struct kt_timeline_events *events, uint64_t instance,
				 uint64_t seq);

/*
 * Returns the doorbell of the current trace with exactly this sequence number, or
 * KT_TIMELINE_NONE. O(log events).
 */
uint32_t kt_timeline_events_doorbell(const struct kt_timeline_events *events,
				     uint64_t instance, uint64_t seq);

/*
 * Returns whether the event with this sequence number, or an event before it, got no row.
 */
bool kt_timeline_events_cut(const struct kt_timeline_events *events, uint64_t instance,
			    uint64_t seq);

/* Returns the event of a call of the current trace, or KT_TIMELINE_NONE. O(1), expected. */
uint32_t kt_timeline_events_call(const struct kt_timeline_events *events, uint64_t id);

/* Returns a thread of the current trace, or KT_TIMELINE_NONE. O(1), expected. */
uint32_t kt_timeline_events_thread(const struct kt_timeline_events *events,
				   uint64_t instance, uint32_t tid);

/*
 * Sets *out to the index of a channel of the current trace, which is added if it is
 * missing. KT_E_MEMORY. O(1), expected.
 */
int kt_timeline_events_channel(struct kt_timeline_events *events, uint32_t *out,
			       uint64_t instance, uint32_t client, uint32_t channel,
			       uint32_t class_number);

void kt_timeline_events_free(struct kt_timeline_events *events);

#endif
