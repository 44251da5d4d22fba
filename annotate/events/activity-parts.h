/* SPDX-License-Identifier: MIT */
/* What activity.c, activity-calls.c and activity-submissions.c share. Not for users of
 * activity.h. */
#ifndef KTAIL_ANNOTATE_ACTIVITY_PARTS_H
#define KTAIL_ANNOTATE_ACTIVITY_PARTS_H

#include "annotate/events/activity.h"
#include "annotate/events/call-stacks.h"
#include "base/texts.h"

/* One life of a process. */
struct kt_activity_instance {
	const char *process; /* Weak: of the texts */
	uint64_t next;       /* its highest number so far + 1 */
	uint64_t time;       /* of its last event */
	uint32_t pid;
	struct kt_call_stacks stacks; /* of struct kt_activity_call, owned by this */
	bool doorbell_written; /* a doorbell came, and what it submitted is not complete */
	struct kt_moment doorbell;
	struct kt_doorbell_fields fields; /* its texts are of the texts */
	uint64_t submissions;             /* of it so far */
	struct kt_moment submitting;      /* of what is told of the submission in hand */
	struct kt_work work;              /* of the submission that goes on */
};

struct kt_activity {
	const struct kt_activity_visitor *const *visitors; /* Weak */
	void *const *contexts;                             /* Weak */
	size_t n;
	struct kt_activity_totals *totals; /* Weak */
	struct kt_activity_instance *
		*instances; /* Owned by this, each as well; NULL: none yet */
	size_t n_instances;
	size_t instances_capacity;
	struct kt_texts texts;
	kt_submission_feed *submissions; /* Owned by this */
	kt_call_feed *ioctls;            /* Owned by this */
	const struct kt_moment *moment;  /* Weak: of the event in hand */
	int code;                        /* of what failed where no status can be given */
};

/* Tells all visitors that want to know, until one of them fails. */
#define KT_REPORT(code, a, member, ...)                                                    \
	for (size_t i_ = 0; i_ < (a)->n && !(code); i_++) {                                \
		if ((a)->visitors[i_]->member) {                                           \
			(code) =                                                           \
				(a)->visitors[i_]->member((a)->contexts[i_], __VA_ARGS__); \
		}                                                                          \
	}

/* Whether a wanted call is open on the thread. */
static inline bool kt_activity_in_call(const struct kt_trace_filter *part,
				       const struct kt_activity_call *call)
{
	while (call && !kt_trace_filter_call(part, call->name, call->id)) {
		call = call->outer;
	}
	return call;
}

/* Whether events of that process and thread at that time are reported to a visitor. */
static inline bool kt_activity_reports(const struct kt_activity *a,
				       const struct kt_activity_visitor *visitor,
				       const struct kt_moment *moment, uint64_t time)
{
	const struct kt_trace_filter *part = a->totals->reading.part;

	return !visitor->of_part || !part ||
	       ((!part->call || kt_activity_in_call(part, moment->call)) &&
		kt_trace_filter_takes(part, moment->process, moment->pid, moment->tid,
				      time));
}

/* The same as KT_REPORT, of what happened at `moment`; it counts as of `time`. */
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

/* --- calls of the API: activity-calls.c --- */

/* Opens a call, which is then moment->call. */
int kt_activity_open_call(struct kt_activity *a, struct kt_activity_instance *instance,
			  struct kt_moment *moment, const struct kt_event *event);

/*
 * Closes what lies above the call that returned, which is then moment->call and still open;
 * or notes that its api_enter is missing: moment->call stays the innermost one.
 */
int kt_activity_find_exit(struct kt_activity *a, struct kt_activity_instance *instance,
			  struct kt_moment *moment, const struct kt_event *event,
			  bool *found);

/* Closes that call. */
int kt_activity_close_call(struct kt_activity *a, struct kt_activity_instance *instance,
			   const struct kt_moment *moment, const struct kt_event *event);

/* Gives all calls of a life up. */
int kt_activity_give_up(struct kt_activity *a, struct kt_activity_instance *instance,
			const struct kt_moment *moment);

/* The innermost call of a thread; NULL: none. */
const struct kt_activity_call *
kt_activity_innermost(const struct kt_activity_instance *instance, uint32_t tid);

/* Frees all calls of a life without telling. */
void kt_activity_drop_calls(struct kt_activity_instance *instance);

/* --- what doorbells submitted: activity-submissions.c --- */

/* Of a struct kt_activity. */
extern const struct kt_submission_visitor kt_activity_submission_visitor;

/* What a life has submitted so far is complete: tells of it. */
int kt_activity_settle(struct kt_activity *a, struct kt_activity_instance *instance,
		       uint64_t number);

/* A doorbell rings. */
int kt_activity_ring(struct kt_activity *a, struct kt_activity_instance *instance,
		     const struct kt_moment *moment, const struct kt_event *event);

#endif
