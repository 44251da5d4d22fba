/* SPDX-License-Identifier: MIT */
/*
 * Reads a trace once and reports its activity to visitors: API calls with the events inside
 * them, named ioctls and decoded submissions. Only open calls, channels and the current
 * submission are kept.
 *
 * Events come in the order of time; events of one process instance come in the order of
 * their sequence numbers (infer/words/read/events.h). A submission is reported with the
 * moment of its doorbell when the submission is complete, that is, before the next event of
 * the process that is neither a ring entry nor dwords. A call is therefore still open when
 * the submissions of its doorbells are reported.
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
 * An API call, open on its thread from its api_enter to the api_exit with the same
 * correlation. If this api_exit was lost, the api_exit of an enclosing call or the end of
 * the process closes the call. After a gap it is unknown which calls are still open, so all
 * open calls of the process are given up.
 */
struct kt_activity_call {
	uint64_t id;     /* number within the trace, from 1, in order of api_enter */
	uint64_t number; /* like `id`, but among the calls of the same name */
	uint64_t instance;
	uint32_t pid;
	uint32_t tid;
	uint64_t correlation;
	const char *api;  /* Weak: "driver", "vulkan", ...; valid until the reading ends */
	const char *name; /* Weak: exported name, printable; valid until the reading ends */
	const struct kt_api_function *function; /* Static; NULL: unknown */
	uint64_t arguments[KT_KEPT_ARGUMENTS];
	size_t n_arguments;
	uint64_t begin; /* ns since the first event of the trace */
	uint64_t end;   /* time when the call returned or was given up; 0: open */
	uint64_t seq;   /* sequence number of its api_enter */
	const struct kt_activity_call *outer; /* Weak: the enclosing call; NULL: none */
	bool returned;                        /* its api_exit was seen */
	bool known;                           /* `result` is known */
	int32_t result;
	uint64_t duration; /* ns, measured by the recorder; 0 unless returned */
};

/* Returns whether the call has returned and succeeded. */
static inline bool kt_activity_done(const struct kt_activity_call *call)
{
	return call->returned &&
	       kt_api_outcome(call->api, call->known, call->result) == KT_API_SUCCEEDED;
}

/* Returns the phase of the innermost call that has one, from `call` outwards. O(depth). */
static inline enum kt_api_phase kt_activity_phase(const struct kt_activity_call *call)
{
	for (; call; call = call->outer) {
		if (call->function && call->function->phase != KT_API_PHASE_NONE) {
			return call->function->phase;
		}
	}
	return KT_API_PHASE_NONE;
}

/* Bits of kt_moment.given_up: what the recorder gave up (--overhead). */
#define KT_GAVE_UP_ACCESSES 1u /* to one mapping, or all */
#define KT_GAVE_UP_COMMANDS 2u

/* Time, thread and open call of an event. */
struct kt_moment {
	uint64_t time; /* ns since the first event of the trace */
	uint32_t pid;
	uint32_t tid;
	uint64_t instance;   /* ordinal of the process instance, from kt_event.process */
	const char *process; /* Weak: name of the process, printable */
	uint64_t seq;
	unsigned given_up; /* what the process does not record any more */
	/*
	 * Weak: the thread's innermost open call, or NULL; for api_enter and api_exit, the
	 * call that begins or ends. Valid until the callback call_exit for this call
	 * returns.
	 */
	const struct kt_activity_call *call;
};

/*
 * Callbacks of a reading; each may be NULL. The pointers passed to a callback are valid
 * until it returns, unless noted otherwise. If a callback returns a status other than
 * KT_OK, the reading ends with that status.
 */
struct kt_activity_visitor {
	bool of_part; /* receive only calls and events that reading.part selects */

	/* The beginning and the end of a trace; `end` is called after an error, too. */
	int (*begin)(void *context, const char *path);
	int (*end)(void *context);

	/*
	 * The first event of a process instance. `fields` is NULL if this event is not a
	 * process_begin.
	 */
	int (*process_begin)(void *context, const struct kt_moment *moment,
			     const struct kt_process_begin_fields *fields);
	/*
	 * The event process_end. More events may follow, for example after an exec that
	 * fails.
	 */
	int (*process_end)(void *context, const struct kt_moment *moment,
			   const struct kt_process_end_fields *fields);
	/* n events are missing before `moment`; n > 0. */
	int (*gap)(void *context, const struct kt_moment *moment, uint64_t n);

	/* Each event; called before the callback for the event's kind. */
	int (*event)(void *context, const struct kt_moment *moment,
		     const struct kt_event *event);

	int (*call_enter)(void *context, const struct kt_moment *moment,
			  const struct kt_activity_call *call);
	/*
	 * Called once for each call, with the moment of the event that ends the call. For a
	 * call that is open at the end of the trace, moment->seq is UINT64_MAX.
	 */
	int (*call_exit)(void *context, const struct kt_moment *moment,
			 const struct kt_activity_call *call);
	/* The open call gave the program a handle of a kernel. */
	int (*kernel)(void *context, const struct kt_moment *moment,
		      const struct kt_kernel_fields *fields);
	int (*coverage)(void *context, const struct kt_moment *moment,
			const struct kt_coverage_fields *fields);
	int (*version)(void *context, const struct kt_moment *moment,
		       const struct kt_version_fields *fields);

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
	int (*report)(void *context, const struct kt_moment *moment,
		      const struct kt_report_fields *fields);
	int (*wait)(void *context, const struct kt_moment *moment,
		    const struct kt_wait_fields *fields);

	/* A doorbell was written. */
	int (*doorbell)(void *context, const struct kt_moment *moment,
			const struct kt_doorbell_fields *fields);
	/*
	 * The ring entries of a submission, their methods, and the whole submission. The
	 * moment is that of the doorbell or, if submission->doorbell_written is false, that
	 * of the first entry. `entry` is called when the dwords of the entry are complete,
	 * then `method` for each of its methods; `submission` follows the last entry.
	 *
	 * Entries whose doorbell is unknown are reported apart from the other entries of
	 * the submission: `submission` is called once for each of the two parts, with the
	 * same struct kt_submission. work->found is true for the part whose doorbell is
	 * unknown.
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
	 * Called once per doorbell, after the submissions of the doorbell. `submissions` is
	 * the number of submissions; it is 0 if the doorbell was idle or its submissions
	 * were not recorded.
	 */
	int (*doorbell_end)(void *context, const struct kt_moment *moment,
			    const struct kt_doorbell_fields *fields, uint64_t submissions);
};

/* Totals of a trace. Free with kt_activity_totals_free(). */
struct kt_activity_totals {
	uint64_t events;
	uint64_t instances;
	uint64_t calls;       /* API calls */
	uint64_t counted;     /* API calls that were counted and not traced, in addition */
	uint64_t unreturned;  /* calls given up without their api_exit */
	uint64_t stray_exits; /* api_exit events whose api_enter is missing */
	uint64_t gaps;
	struct kt_call_totals ioctls;
	struct kt_submission_totals submissions;
	struct kt_reading reading; /* inputs, beginning of the trace, and report */
};

/*
 * Reads the trace in a folder once for visitors[0..n), each with its context. *totals must
 * be zero except for the inputs in totals->reading; the caller frees *totals, also on
 * failure. KT_E_EMPTY if the trace has no gpu_stack event; otherwise fails as
 * kt_events_open() and kt_events_next() do. O(events).
 */
int kt_activity_read(const char *path, const struct kt_activity_visitor *const *visitors,
		     void *const *contexts, size_t n, struct kt_activity_totals *totals);

void kt_activity_totals_free(struct kt_activity_totals *totals);

#endif
