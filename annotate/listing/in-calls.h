/* SPDX-License-Identifier: MIT */
/*
 * What happens in the API calls that --call and --phase select: their submissions, and
 * their ioctls. A submission belongs to the call that was open at its doorbell or, if it
 * has none, at its first entry.
 */
#ifndef KTAIL_ANNOTATE_IN_CALLS_H
#define KTAIL_ANNOTATE_IN_CALLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "annotate/events/calls.h"
#include "infer/words/split/trace-filter.h"

/* Submissions of a trace. */
struct kt_in_calls {
	uint64_t *numbers; /* Owned by this: of kt_submission, ascending */
	size_t n;
	size_t capacity;
};

/*
 * Finds the submissions of the part. Overwrites *out without freeing it. Fails as
 * kt_activity_read() does.
 */
int kt_in_calls_find(struct kt_in_calls *out, const char *path,
		     const struct kt_trace_filter *part, enum kt_source source);
bool kt_in_calls_has(const struct kt_in_calls *calls, uint64_t number);
void kt_in_calls_free(struct kt_in_calls *calls);

/* Like kt_calls_read(), for a part with kt_trace_filter_by_calls(). */
int kt_in_calls_ioctls(const char *path, const struct kt_trace_filter *part,
		       kt_call_fn *each, void *visitor, struct kt_call_totals *totals);

#endif
