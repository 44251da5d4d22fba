/* SPDX-License-Identifier: MIT */
/*
 * One pass over the events of a trace, put together: the calls of the API with what
 * happened inside them, ioctls with names, what doorbells submitted, decoded. Visitors are
 * told; nothing is kept but what goes on: open calls, channels, the submission in hand.
 *
 * Events come in the order of time, those of one process in order of their numbers
 * (infer/words/read/events.h). What a doorbell submitted is told once it is complete, with
 * the moment of the doorbell: after the doorbell itself, and before the process's
 * next event of another kind. So a call is still open when what its doorbells submitted is
 * told.
 */
#ifndef KTAIL_ANNOTATE_ACTIVITY_H
#define KTAIL_ANNOTATE_ACTIVITY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "annotate/events/calls.h"
#include "annotate/events/event-fields.h"
#include "annotate/events/submissions.h"
#include "annotate/events/work.h"
#include "decode/api-functions.h"
#include "infer/words/read/events.h"

/*
 * A call of the API. It is open on its thread from its api_enter to the api_exit with its
 * correlation. An api_exit of a call further down closes those above it, whose own was
 * lost; so does the end of the process. After a gap it is not known which calls are open:
 * all of the process are given up.
 */
struct kt_activity_call {
	uint64_t id; /* within the trace, from 1, in order of api_enter */
	uint64_t instance;
	uint32_t pid;
	uint32_t tid;
	uint64_t correlation;
	const char *api;  /* Weak: "driver", "runtime"; as long as the reading */
	const char *name; /* Weak: as exported, printable; as long as the reading */
	const struct kt_api_function *function; /* Static; NULL: unknown */
	uint64_t arguments[KT_KEPT_ARGUMENTS];
	size_t n_arguments;
	uint64_t begin; /* ns since the first event of the trace */
	uint64_t end;   /* likewise; 0: open. If not `returned`, when it was given up */
	uint64_t seq;   /* of its api_enter */
	const struct kt_activity_call *outer; /* Weak: that it was made in; NULL: none */
	bool returned;                        /* its api_exit was seen */
	bool known;                           /* the result is */
	int32_t result;
	uint64_t duration; /* ns, as the recorder measured it; 0 unless returned */
};

/* Where and when something happened. */
struct kt_moment {
	uint64_t time; /* ns since the first event of the trace */
	uint32_t pid;
	uint32_t tid;
	uint64_t instance;   /* which life of which process, as kt_event.process */
	const char *process; /* Weak: its name, printable */
	uint64_t seq;
	/*
	 * Weak: the innermost call that is open on its thread; NULL: none. Of a call's own
	 * api_enter and api_exit, that call. Valid until its call_exit has been told.
	 */
	const struct kt_activity_call *call;
};

/*
 * Who is told. Members may be NULL. What pointers lead to lives during the call unless
 * said otherwise. A status other than KT_OK ends the reading with it.
 */
struct kt_activity_visitor {
	bool of_part; /* calls and what happens are reported only of reading.part */

	/* A trace begins, and is over: always, whatever happened in between. */
	int (*begin)(void *context, const char *path);
	int (*end)(void *context);

	/* A life's first event. `fields` is NULL where its process_begin was not recorded.
	 */
	int (*process_begin)(void *context, const struct kt_moment *moment,
			     const struct kt_process_begin_fields *fields);
	/* An event process_end; one of an exec that fails is not the last event of a life.
	 */
	int (*process_end)(void *context, const struct kt_moment *moment,
			   const struct kt_process_end_fields *fields);
	/* Events are missing before that moment: n, or 0: an unknown number. */
	int (*gap)(void *context, const struct kt_moment *moment, uint64_t n);

	/* Each event, before what else is told of it. */
	int (*event)(void *context, const struct kt_moment *moment,
		     const struct kt_event *event);

	int (*call_enter)(void *context, const struct kt_moment *moment,
			  const struct kt_activity_call *call);
	/* Once for each call; the moment is that of the event that ends it, and of no event
	 * (seq UINT64_MAX) where the trace ends. */
	int (*call_exit)(void *context, const struct kt_moment *moment,
			 const struct kt_activity_call *call);
	int (*coverage)(void *context, const struct kt_moment *moment,
			const struct kt_coverage_fields *fields);

	int (*ioctl)(void *context, const struct kt_moment *moment,
		     const struct kt_call *call);
	int (*device_open)(void *context, const struct kt_moment *moment,
			   const struct kt_device_fields *fields);
	int (*device_close)(void *context, const struct kt_moment *moment,
			    const struct kt_device_fields *fields);
	int (*object)(void *context, const struct kt_moment *moment,
		      const struct kt_object_fields *fields);
	int (*map)(void *context, const struct kt_moment *moment,
		   const struct kt_map_fields *fields);
	int (*unmap)(void *context, const struct kt_moment *moment,
		     const struct kt_unmap_fields *fields);
	int (*access)(void *context, const struct kt_moment *moment,
		      const struct kt_access_fields *fields);
	int (*wait)(void *context, const struct kt_moment *moment,
		    const struct kt_wait_fields *fields);

	/* A doorbell rang. */
	int (*doorbell)(void *context, const struct kt_moment *moment,
			const struct kt_doorbell_fields *fields);
	/*
	 * What it submitted. The moment is that of the doorbell, or of the first entry's
	 * event where none rang (`submission->rung`). An entry is told when its words have
	 * come, then its methods; `submission` is told after all of one channel's. Entries
	 * that were found in the ring (work->found) and others are told as two submissions,
	 * though `submission` is the same: which doorbell submitted the former is unknown.
	 */
	int (*entry)(void *context, const struct kt_moment *moment,
		     const struct kt_submission *submission,
		     const struct kt_submitted_entry *entry);
	int (*method)(void *context, const struct kt_moment *moment,
		      const struct kt_submission *submission,
		      const struct kt_submitted_entry *entry,
		      const struct kt_decoded *decoded);
	int (*submission)(void *context, const struct kt_moment *moment,
			  const struct kt_submission *submission,
			  const struct kt_work *work);
	/*
	 * Once for each doorbell, after all that it submitted: how many submissions were
	 * told. 0: it was idle, or what it submitted was not recorded.
	 */
	int (*doorbell_end)(void *context, const struct kt_moment *moment,
			    const struct kt_doorbell_fields *fields, uint64_t submissions);
};

/* Of a whole trace. Free with kt_activity_totals_free(). */
struct kt_activity_totals {
	uint64_t events;
	uint64_t instances;
	uint64_t calls;       /* of the API */
	uint64_t unreturned;  /* of these, given up without their api_exit */
	uint64_t stray_exits; /* api_exit without an open call: its api_enter is missing */
	uint64_t gaps;
	struct kt_call_totals ioctls;
	struct kt_submission_totals submissions;
	struct kt_reading
		reading; /* when the trace begins, and what is to be said about it */
};

/*
 * Reads the trace in a folder once, for visitors[0..n) each with its context. totals is all
 * zero before but for reading.source; the caller frees it, also on failure. KT_E_EMPTY if
 * there is no event of ours in the trace; fails else as kt_events_open() and
 * kt_events_next() do. O(events).
 */
int kt_activity_read(const char *path, const struct kt_activity_visitor *const *visitors,
		     void *const *contexts, size_t n, struct kt_activity_totals *totals);

void kt_activity_totals_free(struct kt_activity_totals *totals);

#endif
