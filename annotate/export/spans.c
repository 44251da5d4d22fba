/* SPDX-License-Identifier: MIT */
#include "annotate/export/spans.h"

#include <stdlib.h>

#include <ktail/status.h>

#include "base/try.h"

/* An event that takes time. */
struct span {
	int64_t begin;
	int64_t end;
	uint32_t thread;
	uint32_t event;
};

/*
 * Orders spans by thread, then by beginning. Of two spans that begin together, the longer
 * one comes first, because it contains the other.
 */
static int compare(const void *left, const void *right)
{
	const struct span *a = left;
	const struct span *b = right;

	if (a->thread != b->thread) {
		return a->thread < b->thread ? -1 : 1;
	}
	if (a->begin != b->begin) {
		return a->begin < b->begin ? -1 : 1;
	}
	return a->event < b->event ? -1 : a->event > b->event;
}

static bool takes_time(const struct kt_timeline_event *event)
{
	return event->kind == KT_TIMELINE_CALL || event->kind == KT_TIMELINE_IOCTL ||
	       event->kind == KT_TIMELINE_WAIT;
}

/* Returns whether `call` is one of the calls around the event. */
static bool is_inside(const struct kt_timeline_events *e, uint32_t event, uint32_t call)
{
	uint32_t outer = e->events[event].call;

	/* A call has a lower index than the events inside it. */
	while (outer != KT_TIMELINE_NONE && outer > call) {
		outer = e->events[outer].call;
	}
	return outer == call;
}

/* What is known of the events inside a call. */
struct content {
	int64_t begin; /* of the first */
	int64_t end;   /* of the last */
};

/*
 * Sets begin and end of each event. The recorder notes when a call begins, and only then
 * starts to measure how long it takes; it may be interrupted in between. So if the events
 * in a call end after the call, the call began later than noted, but not later than its
 * first event.
 */
static void set_times(struct span *spans, struct content *contents,
		      const struct kt_timeline_events *e)
{
	for (size_t i = 0; i < e->n; i++) {
		contents[i] = (struct content){INT64_MAX, 0};
	}
	/* The events inside a call have higher indexes than the call. */
	for (size_t i = e->n; i-- > 0;) {
		const struct kt_timeline_event *event = &e->events[i];
		struct span *span = &spans[i];
		const int64_t end = event->time + (int64_t)event->duration;

		*span = (struct span){.begin = event->time < 0 ? 0 : event->time,
				      .end = end < 0 ? 0 : end,
				      .thread = event->thread,
				      .event = (uint32_t)i};
		if (contents[i].end > span->end && contents[i].begin > span->begin) {
			const int64_t late = contents[i].end - span->end;
			const int64_t most = contents[i].begin - span->begin;
			const int64_t moved = late < most ? late : most;

			span->begin += moved;
			span->end += moved;
		}
		if (event->call != KT_TIMELINE_NONE) {
			struct content *outer = &contents[event->call];

			outer->begin =
				span->begin < outer->begin ? span->begin : outer->begin;
			outer->end = span->end > outer->end ? span->end : outer->end;
		}
	}
}

/* Returns the spans in order; the caller frees them. */
static struct span *list_spans(const struct kt_timeline_events *e, size_t *n)
{
	struct span *spans = calloc(e->n + 1, sizeof(*spans));
	struct content *contents = calloc(e->n + 1, sizeof(*contents));

	*n = 0;
	if (!spans || !contents) {
		free(spans);
		free(contents);
		return NULL;
	}
	set_times(spans, contents, e);
	free(contents);
	for (size_t i = 0; i < e->n; i++) {
		if (takes_time(&e->events[i])) {
			spans[(*n)++] = spans[i];
		}
	}
	qsort(spans, *n, sizeof(*spans), compare);
	return spans;
}

static void close_span(struct kt_spans *out, size_t *n_edges, const struct span *span,
		       int64_t latest)
{
	out->edges[(*n_edges)++] = (struct kt_span_edge){
		span->end < latest ? span->end : latest, span->event, true};
}

/* Opens and closes the spans, thread by thread; `open` has room for all spans. */
static void nest(struct kt_spans *out, const struct kt_timeline_events *e,
		 const struct span *spans, size_t n, struct span *open)
{
	size_t n_edges = 0;
	size_t depth = 0;
	size_t next = 0;

	for (size_t thread = 0; thread < e->n_threads; thread++) {
		out->begins[thread] = n_edges;
		for (; next < n && spans[next].thread == thread; next++) {
			const struct span *span = &spans[next];

			while (depth > 0 &&
			       !is_inside(e, span->event, open[depth - 1].event)) {
				close_span(out, &n_edges, &open[--depth], span->begin);
			}
			for (size_t i = depth; i > 0 && open[i - 1].end < span->end; i--) {
				open[i - 1].end = span->end;
			}
			open[depth++] = *span;
			out->edges[n_edges++] =
				(struct kt_span_edge){span->begin, span->event, false};
		}
		while (depth > 0) {
			close_span(out, &n_edges, &open[--depth], INT64_MAX);
		}
	}
	out->begins[e->n_threads] = n_edges;
}

int kt_spans_make(struct kt_spans *out, const struct kt_timeline_events *e)
{
	size_t n = 0;
	struct span *spans = list_spans(e, &n);
	struct span *open = calloc(n + 1, sizeof(*open));
	int code = KT_OK;

	out->edges = calloc(2 * n + 1, sizeof(*out->edges));
	out->begins = calloc(e->n_threads + 1, sizeof(*out->begins));
	out->n_threads = e->n_threads;
	if (!spans || !open || !out->edges || !out->begins) {
		code = kt_no_memory("nest calls");
	} else {
		nest(out, e, spans, n, open);
	}
	free(spans);
	free(open);
	return code;
}

void kt_spans_free(struct kt_spans *spans)
{
	free(spans->edges);
	free(spans->begins);
	*spans = (struct kt_spans){.n_threads = 0};
}
