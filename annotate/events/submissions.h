/* SPDX-License-Identifier: MIT */
/*
 * What doorbells submitted, from the events of a trace: submissions, their ring entries,
 * the methods of their segments, in order. A visitor is told; nothing is kept but the state
 * of channels. For ktail-events(7)'s doorbell, gpfifo_entry, pushbuffer and object.
 */
#ifndef KTAIL_ANNOTATE_SUBMISSIONS_H
#define KTAIL_ANNOTATE_SUBMISSIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "annotate/events/event-fields.h"
#include "decode/commands.h"
#include "decode/gpfifo.h"

/* What one doorbell, or what was found in the ring, submitted to one channel. */
struct kt_submission {
	uint64_t number; /* within the trace, from 1 */
	uint64_t time;   /* ns since the first event of the trace */
	uint32_t pid;
	uint32_t tid;
	const char *process;   /* Weak: its name */
	uint64_t instance;     /* which life of which process */
	uint64_t seq;          /* of the doorbell's event, or of the first entry's */
	bool doorbell_written; /* a doorbell came before; else it has no value and no after
				*/
	bool value_known;
	uint32_t value; /* that was stored: the token */
	bool after_known;
	uint32_t before; /* GP_PUT: index of the first entry */
	uint32_t after;
	uint32_t client;
	uint32_t channel; /* handle */
	uint32_t class_number;
	/* So far; all of it when the visitor is told that it ended. */
	uint32_t entries;
	uint64_t words; /* captured */
	bool shown;     /* for the visitor, false in the beginning */
};

/* One ring entry. */
struct kt_submitted_entry {
	uint32_t index; /* its place in the ring */
	uint64_t raw;
	struct kt_gpfifo_entry entry;
	uint64_t address; /* of its segment, extended base included */
	uint32_t words;   /* as the ring says */
	bool found;       /* in the ring when recording began */
	const char
		*unread; /* Weak: why words are missing, all or the last; "" if none is */
	uint64_t time;   /* of its event, as of the submission */
	uint32_t tid;
	uint64_t seq;
	uint32_t captured;  /* words in the trace */
	uint32_t after_gap; /* of these, after a gap, so they cannot be decoded */
};

/* Whether words of it are not in the trace, or cannot be decoded. */
static inline bool kt_submitted_entry_is_incomplete(const struct kt_submitted_entry *entry)
{
	return entry->unread[0] || entry->captured < entry->words || entry->after_gap > 0;
}

/* Each is told in this order; a method may be told of many times. */
struct kt_submission_visitor {
	void (*entry)(void *visitor, struct kt_submission *submission,
		      const struct kt_submitted_entry *entry);
	void (*method)(void *visitor, struct kt_submission *submission,
		       const struct kt_submitted_entry *entry,
		       const struct kt_decoded *decoded);
	/* All methods of the entry were told; what its words were. May be NULL. */
	void (*decoded)(void *visitor, const struct kt_submission *submission,
			const struct kt_submitted_entry *entry,
			const struct kt_decode_counts *counts);
	void (*end)(void *visitor, const struct kt_submission *submission);
};

/* Why segments could not be read. */
struct kt_unread {
	char *why; /* Owned by the totals */
	uint64_t entries;
	uint64_t words;
};

/* Of a whole trace, whatever a visitor shows of it. */
struct kt_submission_totals {
	uint64_t doorbells;
	uint64_t idle;  /* of these, without an entry */
	uint64_t moved; /* of these, at which some ring had moved */
	uint64_t submissions;
	uint64_t shown; /* of these; left to the caller, who selects */
	uint64_t entries;
	uint64_t control;      /* of these, without a segment */
	uint64_t found;        /* of these, in the ring when recording began */
	uint64_t ring_words;   /* in segments, as the ring says */
	uint64_t captured;     /* words of pushbuffer events */
	uint64_t after_gap;    /* of these, after a gap or of no entry: not decoded */
	uint64_t unread;       /* words that do not follow, with why */
	uint64_t missing;      /* words that should follow and do not */
	uint64_t unread_rings; /* entries without words that stand for those not read */
	struct kt_decode_counts decoded;
	struct kt_unread *reasons; /* Owned by this */
	size_t n_reasons;
	size_t reasons_capacity;
	struct kt_reading reading;
};

/* --- event by event --- */

typedef struct kt_submission_feed kt_submission_feed;

/*
 * All are borrowed. totals->reading.begin must be known before the first event. The caller
 * owns *out, and the totals.
 */
int kt_submission_feed_new(kt_submission_feed **out,
			   const struct kt_submission_visitor *visitor, void *context,
			   struct kt_submission_totals *totals);

/* NULL is allowed. */
void kt_submission_feed_free(kt_submission_feed *feed);

/* The next event of a trace that is open with kt_annotate_events: a kt_event_fn, whose
 * context is the feed. Amortised O(1). */
int kt_submission_feed_take(void *feed, const struct kt_event *event);

/* What a life of a process submits is complete so far: its next event is of another kind.
 */
int kt_submission_feed_settle(kt_submission_feed *feed, uint64_t instance);

/* --- a trace --- */

/*
 * Reads the trace in a folder. KT_E_EMPTY if it has no event of ours, or none of a ring
 * entry; totals->reading is valid then, too. totals is all zero before but for
 * reading.source, and freed by the caller with kt_submission_totals_free(), also on
 * failure.
 */
int kt_submissions_read(const char *path, const struct kt_submission_visitor *visitor,
			void *context, struct kt_submission_totals *totals);

void kt_submission_totals_free(struct kt_submission_totals *totals);

#endif
