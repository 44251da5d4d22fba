/* SPDX-License-Identifier: MIT */
#include "annotate/export/marks.h"

#include <stdlib.h>

#include <ktail/status.h>

static int compare(const void *left, const void *right)
{
	const struct kt_mark *a = left;
	const struct kt_mark *b = right;

	if (a->time != b->time) {
		return a->time < b->time ? -1 : 1;
	}
	return a->order < b->order ? -1 : a->order > b->order;
}

static void add(struct kt_marks *m, int64_t time, enum kt_mark_kind kind, size_t index)
{
	m->marks[m->n] = (struct kt_mark){.time = time < 0 ? 0 : time,
					  .order = (uint32_t)m->n,
					  .index = (uint32_t)index,
					  .kind = kind};
	m->n++;
}

int kt_marks_make(struct kt_marks *out, const struct kt_timeline_events *e,
		  const struct kt_spans *spans, const struct kt_timeline_request *requests,
		  size_t n)
{
	const size_t n_edges = spans->begins[spans->n_threads];

	/*
	 * Room for one mark for each edge, one for each event without duration, and two for
	 * each request.
	 */
	out->marks = calloc(n_edges + e->n - n_edges / 2 + 2 * n + 1, sizeof(*out->marks));
	if (!out->marks) {
		return kt_no_memory("order events");
	}
	for (size_t i = 0; i < n_edges; i++) {
		const struct kt_span_edge *edge = &spans->edges[i];

		add(out, edge->time, edge->end ? KT_MARK_END : KT_MARK_BEGIN, edge->event);
	}
	for (size_t i = 0; i < e->n; i++) {
		const enum kt_timeline_kind kind = e->events[i].kind;

		if (kind != KT_TIMELINE_CALL && kind != KT_TIMELINE_IOCTL &&
		    kind != KT_TIMELINE_WAIT) {
			add(out, e->events[i].time, KT_MARK_EVENT, i);
		}
	}
	for (size_t i = 0; i < n; i++) {
		add(out, requests[i].submitted, KT_MARK_SUBMIT, i);
	}
	for (size_t i = 0; i < n; i++) {
		if (requests[i].completed >= 0) {
			add(out, requests[i].completed, KT_MARK_COMPLETE, i);
		}
	}
	qsort(out->marks, out->n, sizeof(*out->marks), compare);
	return KT_OK;
}

void kt_marks_free(struct kt_marks *marks)
{
	free(marks->marks);
	*marks = (struct kt_marks){.n = 0};
}
