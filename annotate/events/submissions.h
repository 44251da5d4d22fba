/* SPDX-License-Identifier: MIT */
/*
 * Reads the submissions of a trace in order, with their ring entries and the methods of
 * their segments, from four events of ktail-events(7): doorbell, gpfifo_entry, pushbuffer
 * and object. Submissions are reported to a visitor; only the state of channels is kept.
 */
#ifndef KTAIL_ANNOTATE_SUBMISSIONS_H
#define KTAIL_ANNOTATE_SUBMISSIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "annotate/events/event-fields.h"
#include "decode/commands.h"
#include "decode/gpfifo.h"

/*
 * Ring entries of one channel: those that one doorbell submitted, or those that were found
 * in the ring.
 */
struct kt_submission {
	uint64_t number; /* within the trace, from 1 */
	uint64_t time;   /* ns since the first event of the trace */
	uint32_t pid;
	uint32_t tid;
	const char *process;   /* Weak: name of the process */
	uint64_t instance;     /* ordinal of the process instance */
	uint64_t seq;          /* of the doorbell or, without one, the first entry */
	bool doorbell_written; /* if false, `value` and `after` are unknown */
	bool value_known;
	uint32_t value; /* the token that was stored */
	bool after_known;
	uint32_t before; /* GP_PUT before the doorbell: index of the first entry */
	uint32_t after;
	bool get_known; /* whether `get` is known; false if `after` is unknown */
	uint32_t get;   /* GP_GET, read together with `after`; may have changed since */
	uint64_t ring;  /* GPU address of the ring; 0: unknown */
	uint32_t client;
	uint32_t channel; /* handle */
	uint32_t class_number;
	/* Counts so far; complete when `end` is called. */
	uint32_t entries;
	uint64_t words; /* captured dwords */
	bool shown;     /* for the visitor's own use; initially false */
};

/* One ring entry. */
struct kt_submitted_entry {
	uint32_t index; /* slot in the ring */
	uint64_t raw;
	struct kt_gpfifo_entry entry;
	uint64_t address; /* GPU address of the segment, including the extended base */
	uint32_t words;   /* dwords, according to the ring */
	bool found;       /* its doorbell is unknown: see docs/internals/recording.md */
	const char
		*unread; /* Weak: recorded reason why dwords are missing; "": no reason */
	uint64_t time;   /* of its event, ns since the first event of the trace */
	uint32_t tid;
	uint64_t seq;
	uint32_t captured;  /* number of dwords in the trace */
	uint32_t after_gap; /* captured dwords after a gap, which cannot be decoded */
	/* Weak: the dwords before the first gap; valid until `decoded` returns */
	const uint32_t *dwords;
	size_t n_dwords;
};

/* Returns the GPU address of an entry in the ring; 0: unknown. */
static inline uint64_t kt_submitted_entry_at(const struct kt_submission *submission,
					     const struct kt_submitted_entry *entry)
{
	return submission->ring
		       ? submission->ring + entry->index * (uint64_t)KT_GPFIFO_ENTRY_BYTES
		       : 0;
}

/* Returns whether dwords of the entry are missing or cannot be decoded. */
static inline bool kt_submitted_entry_is_incomplete(const struct kt_submitted_entry *entry)
{
	return entry->unread[0] || entry->captured < entry->words || entry->after_gap > 0;
}

/*
 * Callbacks. For each entry: `entry`, `method` for each of its methods, `decoded`. After
 * the last entry of the submission: `end`.
 */
struct kt_submission_visitor {
	void (*entry)(void *visitor, struct kt_submission *submission,
		      const struct kt_submitted_entry *entry);
	void (*method)(void *visitor, struct kt_submission *submission,
		       const struct kt_submitted_entry *entry,
		       const struct kt_decoded *decoded);
	/* Receives the counts of decoding an entry, if it has any dwords. May be NULL. */
	void (*decoded)(void *visitor, const struct kt_submission *submission,
			const struct kt_submitted_entry *entry,
			const struct kt_decode_counts *counts);
	void (*end)(void *visitor, const struct kt_submission *submission);
	/*
	 * Receives each event of the trace, after the submissions that it ends. May be
	 * NULL. A status other than KT_OK ends the reading.
	 */
	int (*event)(void *visitor, const struct kt_event *event);
};

/* A reason why segments could not be read, with the entries and dwords concerned. */
struct kt_unread {
	char *why; /* Owned by the totals */
	uint64_t entries;
	uint64_t words;
};

/* Totals of the whole trace, even if a visitor shows only a part of it. */
struct kt_submission_totals {
	uint64_t doorbells;
	uint64_t idle;  /* doorbells without an entry */
	uint64_t moved; /* doorbells at which a GP_PUT had moved */
	uint64_t submissions;
	uint64_t shown; /* submissions shown; counted by the caller */
	uint64_t entries;
	uint64_t control;      /* entries without a segment */
	uint64_t found;        /* entries whose doorbell is unknown */
	uint64_t ring_words;   /* dwords of segments, according to the ring */
	uint64_t captured;     /* dwords of pushbuffer events */
	uint64_t after_gap;    /* captured, not decoded: after a gap, or entry unknown */
	uint64_t unread;       /* dwords missing for a recorded reason */
	uint64_t missing;      /* dwords missing without a recorded reason */
	uint64_t unread_rings; /* entries that stand for a ring that could not be read */
	struct kt_decode_counts decoded;
	struct kt_unread *reasons; /* Owned by this */
	size_t n_reasons;
	size_t reasons_capacity;
	struct kt_reading reading;
};

/* --- event by event --- */

typedef struct kt_submission_feed kt_submission_feed;

/*
 * The feed borrows `visitor`, `context` and `totals`. totals->reading.begin must be set
 * before the first event. The caller owns *out.
 */
int kt_submission_feed_new(kt_submission_feed **out,
			   const struct kt_submission_visitor *visitor, void *context,
			   struct kt_submission_totals *totals);

/* NULL is allowed. */
void kt_submission_feed_free(kt_submission_feed *feed);

/*
 * A kt_event_fn whose context is the feed: takes the next event of a trace opened with
 * kt_annotate_events. Amortised O(1).
 */
int kt_submission_feed_take(void *feed, const struct kt_event *event);

/*
 * Ends the doorbell and submission of a process instance, like an event of the instance
 * that is neither a ring entry nor dwords.
 */
int kt_submission_feed_settle(kt_submission_feed *feed, uint64_t instance);

/* --- a trace --- */

/*
 * Reads the trace in a folder. *totals must be zero except for totals->reading.source; the
 * caller frees it with kt_submission_totals_free(), also on failure. KT_E_EMPTY if the
 * trace has no gpu_stack event or no ring entry; totals->reading is valid then, too.
 */
int kt_submissions_read(const char *path, const struct kt_submission_visitor *visitor,
			void *context, struct kt_submission_totals *totals);

void kt_submission_totals_free(struct kt_submission_totals *totals);

#endif
