/* SPDX-License-Identifier: MIT */
/*
 * Finds the submissions and ioctls in the API calls that --call and --phase select. A
 * submission belongs to the call that was open at its doorbell or, if it has no doorbell,
 * to the call that was open at its first entry.
 */
#ifndef KTAIL_ANNOTATE_IN_CALLS_H
#define KTAIL_ANNOTATE_IN_CALLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "annotate/events/activity.h"
#include "annotate/events/calls.h"
#include "infer/words/split/trace-filter.h"

/* A set of submissions of a trace. */
struct kt_in_calls {
	uint64_t *numbers; /* Owned by this: numbers of submissions, ascending */
	size_t n;
	size_t capacity;
};

/*
 * Adds the submissions that kt_reading.part selects. The context is a struct kt_in_calls,
 * initially all zero, and complete at the visitor's `end`; the caller frees it.
 */
extern const struct kt_activity_visitor kt_in_calls_visitor;
bool kt_in_calls_has(const struct kt_in_calls *calls, uint64_t number);
void kt_in_calls_free(struct kt_in_calls *calls);

/* Like kt_calls_read(), for a `part` for which kt_trace_filter_by_calls() is true. */
int kt_in_calls_ioctls(const char *path, const struct kt_trace_filter *part,
		       kt_call_fn *each, void *visitor, struct kt_call_totals *totals);

#endif
