/* SPDX-License-Identifier: MIT */
/*
 * Finds the API call of each submission, and the ioctls in the calls that --call and
 * --phase select. A submission belongs to the call that was open at its doorbell or, if it
 * has no doorbell, to the call that was open at its first entry.
 */
#ifndef KTAIL_ANNOTATE_IN_CALLS_H
#define KTAIL_ANNOTATE_IN_CALLS_H

#include <stddef.h>
#include <stdint.h>

#include "annotate/events/activity.h"
#include "annotate/events/calls.h"
#include "base/texts.h"
#include "infer/words/split/trace-filter.h"

/* A submission and its innermost call. */
struct kt_in_call {
	uint64_t submission; /* its number within the trace */
	const char *name;    /* Weak: owned by kt_in_calls */
	uint64_t id;         /* this and `number` are those of kt_activity_call */
	uint64_t number;
};

/* The submissions of a trace that belong to a call. */
struct kt_in_calls {
	struct kt_in_call *calls; /* Owned by this: by ascending `submission` */
	size_t n;
	size_t capacity;
	struct kt_texts names;
};

/*
 * Adds the submissions that kt_reading.part selects. The context is a struct kt_in_calls,
 * initially all zero, and complete at the visitor's `end`; the caller frees it.
 */
extern const struct kt_activity_visitor kt_in_calls_visitor;
/* Returns the call of a submission, or NULL; `calls` may be NULL. O(log submissions). */
const struct kt_in_call *kt_in_calls_find(const struct kt_in_calls *calls,
					  uint64_t submission);
void kt_in_calls_free(struct kt_in_calls *calls);

/* Like kt_calls_read(), for a `part` for which kt_trace_filter_by_calls() is true. */
int kt_in_calls_ioctls(const char *path, const struct kt_trace_filter *part,
		       kt_call_fn *each, void *visitor, struct kt_call_totals *totals);

#endif
