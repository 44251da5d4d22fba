/* SPDX-License-Identifier: MIT */
/*
 * What happened in each second of a trace, by API call, channel or class: a visitor of
 * kt_activity_read(). Seconds are counted from the first event, by the times of the events.
 *
 * What is counted in a row:
 * - events: of a call, the events of its thread while it is the innermost open call, and
 *   the two that begin and end it; of a channel, its ring entries; of a class, its methods
 * - calls, time: calls that returned, and how long they took; of a channel or class, those
 *   that submitted to it
 * - ioctls: only of calls
 * - doorbells: of a channel, submissions with a doorbell; of a class, those with its
 * methods
 * - bytes: captured commands; of a class, only the values of its methods
 * - launches, copies: commands
 *
 * The row of all has the events, calls, ioctls, doorbells, bytes, launches and copies of
 * the trace, each counted once.
 */
#ifndef KTAIL_ANNOTATE_RATES_H
#define KTAIL_ANNOTATE_RATES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "annotate/events/activity.h"
#include "base/table.h"
#include "base/texts.h"

/* Values are those of the option --by. */
enum kt_rates_by { KT_RATES_CALL, KT_RATES_CHANNEL, KT_RATES_CLASS };

enum kt_rate {
	KT_RATE_EVENTS,
	KT_RATE_CALLS,
	KT_RATE_TIME, /* ns */
	KT_RATE_DOORBELLS,
	KT_RATE_BYTES,
	KT_RATE_IOCTLS,
	KT_RATE_LAUNCHES,
	KT_RATE_COPIES,
	KT_RATE_COUNT,
};

/* What a row is about. Of a call, only `name` is set; of a class, only `class_number`. */
struct kt_rate_key {
	const char *name; /* Weak: in the texts; of a channel, the name of its process */
	uint64_t instance;
	uint32_t pid;
	uint32_t client;
	uint32_t channel;
	uint32_t class_number;
};

struct kt_rate_row {
	struct kt_rate_key key;
	uint64_t n[KT_RATE_COUNT];
	uint64_t submission;  /* number of the last submission counted; 0: none */
	uint64_t call;        /* id of the last call counted; 0: none */
	char class_label[16]; /* buffer for the name of a class without a public name */
};

/* A call that has submitted something and has not ended yet. */
struct kt_rate_call {
	uint64_t id;
	struct kt_rate_key key; /* of a row in which it will be counted */
};

/* Empty if all members except the first five are zero. Free with kt_rates_free(). */
struct kt_rates {
	enum kt_rates_by by;
	const struct kt_trace_filter *part; /* Weak: the visitor's part of the trace */
	/*
	 * Called at the end of each second; once for several without events in a row, and
	 * for the last one when the reading ends. A status other than KT_OK ends the
	 * reading, and makes `over` true.
	 */
	int (*second)(void *context, struct kt_rates *rates);
	void *context; /* Weak: of `second` */
	bool over;     /* `second` is not called any more; it may set this */

	uint64_t now; /* the current second, from 0 on */
	bool begun;
	struct kt_texts texts;
	struct kt_rate_row *rows; /* Owned by this: of the current second */
	size_t n;
	size_t capacity;
	size_t last; /* index of the row that was found last */
	uint64_t all[KT_RATE_COUNT];
	struct kt_rate_call *calls; /* Owned by this */
	size_t n_calls;
	size_t calls_capacity;
};

/* Context: struct kt_rates. */
extern const struct kt_activity_visitor kt_rates_visitor;

/*
 * Says that the trace has reached `time`, in ns since its first event: ends the current
 * second if it is over.
 */
int kt_rates_pass(struct kt_rates *rates, uint64_t time);

/* Returns an empty table with the columns of kt_rates_table(). */
struct kt_table kt_rates_head(enum kt_rates_by by);

/*
 * Makes a table of the current second; its last row is that of all. The texts in the table
 * belong to the rates; the caller frees the table, also on failure. KT_E_MEMORY.
 */
int kt_rates_table(struct kt_rates *rates, struct kt_table *table);

void kt_rates_free(struct kt_rates *rates);

#endif
