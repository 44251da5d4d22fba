/* SPDX-License-Identifier: MIT */
/*
 * Internals shared by activity.c, activity-calls.c and activity-submissions.c; not for
 * users of activity.h.
 */
#ifndef KTAIL_ANNOTATE_ACTIVITY_PARTS_H
#define KTAIL_ANNOTATE_ACTIVITY_PARTS_H

#include "annotate/events/activity.h"
#include "annotate/events/call-stacks.h"
#include "base/texts.h"

/* A process instance. */
struct kt_activity_instance {
	const char *process; /* Weak: owned by kt_activity.texts */
	uint64_t next;       /* highest sequence number so far + 1 */
	uint64_t time;       /* time of the last event so far */
	uint32_t pid;
	unsigned given_up;            /* as in struct kt_moment */
	struct kt_call_stacks stacks; /* Owned by this, with its struct kt_activity_call */
	bool doorbell_written;        /* submissions of `doorbell` may still follow */
	struct kt_moment doorbell;
	struct kt_doorbell_fields fields; /* its texts are owned by kt_activity.texts */
	uint64_t submissions;             /* reported since the last kt_activity_settle() */
	struct kt_moment submitting;      /* moment of the current submission */
	struct kt_work work;              /* work of the current submission */
};

struct kt_activity {
	const struct kt_activity_visitor *const *visitors; /* Weak */
	void *const *contexts;                             /* Weak */
	size_t n;
	struct kt_activity_totals *totals; /* Weak */
	struct kt_activity_instance *
		*instances; /* Owned by this, with its elements; NULL: no event yet */
	size_t n_instances;
	size_t instances_capacity;
	struct kt_texts texts;
	uint64_t *calls_of; /* Owned by this: number of calls so far, by the text of their
			     * name */
	size_t n_calls_of;
	size_t calls_of_capacity;
	kt_submission_feed *submissions; /* Owned by this */
	kt_call_feed *ioctls;            /* Owned by this */
	const struct kt_moment *moment;  /* Weak: moment of the current event */
	int code; /* first error in submission callbacks, which cannot return a status */
};

/* Calls `member` of each visitor that has this callback, until a call fails. */
#define KT_REPORT(code, a, member, ...)                                                    \
	for (size_t i_ = 0; i_ < (a)->n && !(code); i_++) {                                \
		if ((a)->visitors[i_]->member) {                                           \
			(code) =                                                           \
				(a)->visitors[i_]->member((a)->contexts[i_], __VA_ARGS__); \
		}                                                                          \
	}

/*
 * Returns whether `part` selects the call or a call that encloses it. With --phase, only
 * the innermost call that has a phase decides.
 */
static inline bool kt_activity_in_call(const struct kt_trace_filter *part,
				       const struct kt_activity_call *call)
{
	if (part->phase) {
		return kt_trace_filter_phase(part, kt_activity_phase(call));
	}
	while (call && !kt_trace_filter_call(part, call->name, call->id)) {
		call = call->outer;
	}
	return call;
}

/*
 * Returns whether the visitor receives an event at `moment`. `time` is used
 * instead of moment->time; for the exit of a call, pass the time when the call began.
 */
static inline bool kt_activity_reports(const struct kt_activity *a,
				       const struct kt_activity_visitor *visitor,
				       const struct kt_moment *moment, uint64_t time)
{
	const struct kt_trace_filter *part = a->totals->reading.part;

	return !visitor->of_part || !part ||
	       ((!kt_trace_filter_by_calls(part) ||
		 kt_activity_in_call(part, moment->call)) &&
		kt_trace_filter_takes(part, moment->process, moment->pid, moment->tid,
				      time));
}

/* Like KT_REPORT, but only for visitors for which kt_activity_reports() returns true. */
#define KT_REPORT_AT(code, a, time, member, moment, ...)                                   \
	for (size_t i_ = 0; i_ < (a)->n && !(code); i_++) {                                \
		if ((a)->visitors[i_]->member &&                                           \
		    kt_activity_reports(a, (a)->visitors[i_], moment, time)) {             \
			(code) = (a)->visitors[i_]->member((a)->contexts[i_], moment,      \
							   __VA_ARGS__);                   \
		}                                                                          \
	}
#define KT_REPORT_PART(code, a, member, moment, ...)                                       \
	KT_REPORT_AT(code, a, (moment)->time, member, moment, __VA_ARGS__)

/* --- API calls: activity-calls.c --- */

/* Opens the call of an api_enter and writes it to moment->call. */
int kt_activity_open_call(struct kt_activity *a, struct kt_activity_instance *instance,
			  struct kt_moment *moment, const struct kt_event *event);

/*
 * Finds the call that an api_exit ends, and closes the calls inside that call. The call
 * found becomes moment->call and stays open. If the api_enter of the call is missing,
 * *found is false and moment->call is the thread's innermost call.
 */
int kt_activity_find_exit(struct kt_activity *a, struct kt_activity_instance *instance,
			  struct kt_moment *moment, const struct kt_event *event,
			  bool *found);

/* Closes the thread's innermost call with the result from `event`, an api_exit. */
int kt_activity_close_call(struct kt_activity *a, struct kt_activity_instance *instance,
			   const struct kt_moment *moment, const struct kt_event *event);

/* Closes all open calls of a process instance, and reports them as not returned. */
int kt_activity_give_up(struct kt_activity *a, struct kt_activity_instance *instance,
			const struct kt_moment *moment);

/* Returns the innermost open call of a thread, or NULL. */
const struct kt_activity_call *
kt_activity_innermost(const struct kt_activity_instance *instance, uint32_t tid);

/* Frees all open calls of a process instance without reporting them. */
void kt_activity_drop_calls(struct kt_activity_instance *instance);

/* --- submissions: activity-submissions.c --- */

/* The visitor's context is a struct kt_activity. */
extern const struct kt_submission_visitor kt_activity_submission_visitor;

/*
 * Reports the pending submissions of a process instance, then the end of its doorbell.
 * `number` is the instance's ordinal.
 */
int kt_activity_settle(struct kt_activity *a, struct kt_activity_instance *instance,
		       uint64_t number);

/* Reports a doorbell and keeps it until its submissions are complete. */
int kt_activity_ring(struct kt_activity *a, struct kt_activity_instance *instance,
		     const struct kt_moment *moment, const struct kt_event *event);

#endif
