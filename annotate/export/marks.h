/* SPDX-License-Identifier: MIT */
/* Everything that a viewer of timelines shows, in order of time. */
#ifndef KTAIL_ANNOTATE_MARKS_H
#define KTAIL_ANNOTATE_MARKS_H

#include <stddef.h>
#include <stdint.h>

#include "annotate/export/spans.h"
#include "annotate/timeline/timeline.h"

enum kt_mark_kind {
	KT_MARK_BEGIN,    /* `index`: an event that takes time begins */
	KT_MARK_END,      /* `index`: that event ends */
	KT_MARK_EVENT,    /* `index`: an event that takes no time */
	KT_MARK_SUBMIT,   /* `index`: a request is submitted */
	KT_MARK_COMPLETE, /* `index`: the program notices that a request is done */
};

struct kt_mark {
	int64_t time;   /* ns since the first event of all traces; not negative */
	uint32_t order; /* order among marks with the same time */
	uint32_t index; /* of the event or request */
	enum kt_mark_kind kind;
};

/* Empty if all members are zero. Free with kt_marks_free(). */
struct kt_marks {
	struct kt_mark *marks; /* Owned by this */
	size_t n;
};

/*
 * Lists the marks of all events and of n requests. Edges of spans keep their order, a
 * doorbell comes before its requests, and all submissions before all completions of the
 * same time. KT_E_MEMORY. O(n log n).
 */
int kt_marks_make(struct kt_marks *out, const struct kt_timeline_events *events,
		  const struct kt_spans *spans, const struct kt_timeline_request *requests,
		  size_t n);

void kt_marks_free(struct kt_marks *marks);

#endif
