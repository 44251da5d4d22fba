/* SPDX-License-Identifier: MIT */
#include "annotate/timeline/timeline.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ktail/status.h>

#include "base/array.h"
#include "base/ends-in.h"
#include "base/try.h"
#include "base/utf8.h"
#include "infer/words/read/report.h"

void kt_timeline_init(struct kt_timeline *t)
{
	*t = (struct kt_timeline){.n_traces = 0};
	kt_requests_init(&t->requests);
}

/* Returns the last part of a path, printable; NULL if out of memory. */
static char *folder_name(const char *path)
{
	size_t end = strlen(path);
	size_t begin;
	char *copy;
	char *name;

	while (end > 1 && path[end - 1] == '/') {
		end--;
	}
	begin = end;
	while (begin > 0 && path[begin - 1] != '/') {
		begin--;
	}
	copy = strndup(path + begin, end - begin);
	name = copy ? kt_utf8_printable_copy(copy) : NULL;
	free(copy);
	return name;
}

int kt_timeline_open(struct kt_timeline *t, const char *path, int origin,
		     const struct kt_trace_options *options)
{
	const struct kt_trace_report *report;
	struct kt_timeline_trace *trace;

	if (kt_ends_in(path, ".events") || kt_ends_in(path, ".dat")) {
		return kt_error(KT_E_MALFORMED,
				"read %s: it has only letters; give the trace that it was "
				"made from",
				path);
	}
	KT_TRY(kt_array_reserve(&t->traces, &t->traces_capacity, t->n_traces + 1));
	trace = &t->traces[t->n_traces++];
	*trace = (struct kt_timeline_trace){.path = path, .origin = origin};
	trace->name = folder_name(path);
	if (!trace->name) {
		return kt_no_memory("read trace");
	}
	KT_TRY(kt_trace_open(&trace->trace, path, options));
	report = kt_trace_report(trace->trace);
	kt_gaps_note(&t->gaps, path, report);
	if (report->totals.events == 0) {
		return kt_error(KT_E_EMPTY, "read %s: no gpu_stack events", path);
	}
	if (t->begin == 0 || report->first_time < t->begin) {
		t->begin = report->first_time;
	}
	return KT_OK;
}

/* Returns the time from the first event of all traces to the first event of a trace. */
static int64_t shift_of(const struct kt_timeline *t, const struct kt_timeline_trace *trace)
{
	const uint64_t shift =
		(uint64_t)kt_trace_report(trace->trace)->first_time - (uint64_t)t->begin;

	/* Clocks of damaged traces can be centuries apart. */
	return kt_timeline_limited(shift);
}

/* Finds channels, doorbells and threads of the current trace's requests: from `first` on.
 */
static int join_requests(struct kt_timeline *t, size_t first)
{
	KT_TRY(kt_array_reserve(&t->joined, &t->joined_capacity, t->requests.n + 1));
	for (size_t i = first; i < t->requests.n; i++) {
		const struct kt_request *request = &t->requests.requests[i];
		struct kt_timeline_joined *joined = &t->joined[i];
		const struct kt_poll *poll = NULL;

		joined->shift = t->events.shift;
		joined->left_out =
			kt_timeline_events_cut(&t->events, request->instance, request->seq);
		joined->doorbell = kt_timeline_events_doorbell(
			&t->events, request->instance, request->seq);
		joined->noticed =
			kt_request_sign(request, &poll) == KT_SIGN_NONE
				? KT_TIMELINE_NONE
				: kt_timeline_events_thread(&t->events, request->instance,
							    poll->tid);
		KT_TRY(kt_timeline_events_channel(&t->events, &joined->channel,
						  request->instance, request->client,
						  request->channel, request->class_number));
	}
	return KT_OK;
}

/*
 * Returns how many events of the trace `first` the timeline may have. The number that is
 * left is shared equally by this trace and all later ones; what traces with fewer events do
 * not need is shared by the others.
 */
static uint64_t share_of_trace(const struct kt_timeline *t, size_t first)
{
	const uint64_t all = t->most ? t->most : UINT64_MAX;
	const uint64_t rest = all > t->events.n ? all - t->events.n : 0;
	uint64_t share = rest / (t->n_traces - first);
	uint64_t before;

	do {
		uint64_t left = rest;
		uint64_t larger = 0; /* number of traces */

		before = share;
		for (size_t i = first; i < t->n_traces; i++) {
			const uint64_t n =
				kt_trace_report(t->traces[i].trace)->totals.events;

			left -= n <= share ? n : 0;
			larger += n > share;
		}
		share = larger ? left / larger : share;
	} while (share > before);
	return share;
}

int kt_timeline_read(struct kt_timeline *t, size_t index,
		     const struct kt_trace_filter *part,
		     const struct kt_activity_visitor *const *visitors,
		     void *const *contexts, size_t n)
{
	const struct kt_activity_visitor *all[6] = {&kt_timeline_events_visitor,
						    &kt_requests_visitor};
	void *all_contexts[6] = {&t->events, &t->requests};
	struct kt_timeline_trace *trace = &t->traces[index];
	const size_t first = t->requests.n;

	for (size_t i = 0; i < n; i++) {
		all[2 + i] = visitors[i];
		all_contexts[2 + i] = contexts[i];
	}
	kt_timeline_events_begin(&t->events, index, shift_of(t, trace),
				 share_of_trace(t, index));
	trace->totals.reading.trace = trace->trace;
	trace->totals.reading.part = part;
	KT_TRY(kt_activity_read(trace->name, all, all_contexts, 2 + n, &trace->totals));
	kt_gaps_note_words(&t->gaps, trace->path, &trace->totals.submissions, stderr);
	return join_requests(t, first);
}

int kt_timeline_judge(const struct kt_timeline *t)
{
	const char **names = calloc(t->n_traces + 1, sizeof(*names));
	int code;

	if (!names) {
		return kt_no_memory("judge traces");
	}
	for (size_t i = 0; i < t->n_traces; i++) {
		names[i] = t->traces[i].path;
	}
	code = kt_gaps_judge(&t->gaps, names, t->n_traces);
	free(names);
	return code;
}

/* --- requests --- */

static int name_of(struct kt_timeline *t, uint32_t *out, const char *text)
{
	*out = KT_TIMELINE_NONE;
	return text && *text ? kt_texts_add(&t->events.names, text, out) : KT_OK;
}

int kt_timeline_request(struct kt_timeline *t, size_t i, struct kt_timeline_request *out)
{
	const struct kt_request *request = &t->requests.requests[i];
	const struct kt_timeline_joined *joined = &t->joined[i];
	const struct kt_poll *poll = NULL;
	const enum kt_request_sign sign = kt_request_sign(request, &poll);
	const bool known = sign != KT_SIGN_NONE;

	*out = (struct kt_timeline_request){
		.index = i,
		.submitted = joined->shift + kt_timeline_limited(request->time),
		.completed = known ? joined->shift + kt_timeline_limited(poll->time) : -1,
		.channel = joined->channel,
		.doorbell = joined->doorbell,
		.call = joined->doorbell == KT_TIMELINE_NONE
				? KT_TIMELINE_NONE
				: t->events.events[joined->doorbell].call,
		.noticed = joined->noticed,
		.device = request->device.took_known && request->device.took <= INT64_MAX
				  ? (int64_t)request->device.took
				  : -1,
		.bytes = 4 * request->words,
		.copied = request->inline_bytes + request->macro_bytes +
			  request->direct_bytes,
		.launches = request->launches,
	};
	/*
	 * A thread takes an event's number before it reads the clock, so a poll that
	 * another thread numbered after the doorbell can have an earlier time.
	 */
	if (known && out->completed < out->submitted) {
		out->completed = out->submitted;
	}
	KT_TRY(name_of(t, &out->name, request->what));
	KT_TRY(name_of(t, &out->commands, request->commands));
	KT_TRY(name_of(t, &out->kernel, request->kernel));
	return name_of(t, &out->sign, known ? kt_request_sign_name(sign) : NULL);
}

void kt_timeline_free(struct kt_timeline *t)
{
	for (size_t i = 0; i < t->n_traces; i++) {
		kt_activity_totals_free(&t->traces[i].totals);
		kt_trace_free(t->traces[i].trace);
		free(t->traces[i].name);
	}
	kt_requests_free(&t->requests);
	kt_timeline_events_free(&t->events);
	free(t->traces);
	free(t->joined);
	*t = (struct kt_timeline){.n_traces = 0};
}
