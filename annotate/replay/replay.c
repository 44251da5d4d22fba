/* SPDX-License-Identifier: MIT */
#include "annotate/replay/replay.h"

#include <stdlib.h>

#include <ktail/status.h>

#include "annotate/events/event-fields.h"
#include "base/array.h"
#include "base/try.h"
#include "infer/words/alphabet/alphabet.h"

/* --- steps, added while a trace is read --- */

static int add(struct kt_replay *r, const struct kt_step *step)
{
	struct kt_replay_trace *trace = &r->traces[r->reading];

	KT_TRY(kt_array_reserve(&trace->steps, &trace->capacity, trace->n + 1));
	trace->steps[trace->n++] = *step;
	return KT_OK;
}

/* Adds a step for each event that was added to the timeline since the last step. */
static int catch_up(struct kt_replay *r)
{
	const struct kt_timeline_events *e = &r->timeline.events;

	for (; r->seen < e->n; r->seen++) {
		const struct kt_timeline_event *event = &e->events[r->seen];
		const struct kt_step step = {.kind = event->kind == KT_TIMELINE_CALL
							     ? KT_STEP_ENTER
							     : KT_STEP_EVENT,
					     .thread = event->thread,
					     .index = r->seen};

		if (event->kind == KT_TIMELINE_ACCESS) {
			r->traces[r->reading].accesses++;
		}
		if (event->kind != KT_TIMELINE_ACCESS || r->options->accesses) {
			KT_TRY(add(r, &step));
		}
	}
	return KT_OK;
}

/*
 * The timeline's visitor runs before this visitor and has just added the event of the call.
 */
static int on_call_enter(void *context, const struct kt_moment *moment,
			 const struct kt_activity_call *call)
{
	struct kt_replay *r = context;
	struct kt_replay_trace *trace = &r->traces[r->reading];

	(void)moment;
	KT_TRY(catch_up(r));
	trace->steps[trace->n - 1].number = call->number;
	return KT_OK;
}

static int on_call_exit(void *context, const struct kt_moment *moment,
			const struct kt_activity_call *call)
{
	struct kt_replay *r = context;
	const uint32_t at = kt_timeline_events_call(&r->timeline.events, call->id);

	KT_TRY(catch_up(r));
	if (at == KT_TIMELINE_NONE) {
		return KT_OK;
	}
	return add(r, &(struct kt_step){.kind = KT_STEP_EXIT,
					.thread = r->timeline.events.events[at].thread,
					.index = at,
					.returned = call->returned,
					.time = r->timeline.events.shift +
						kt_timeline_limited(moment->time)});
}

/* The visitor of requests runs before this visitor and has just added the request. */
static int on_submission(void *context, const struct kt_moment *moment,
			 const struct kt_submission *submission, const struct kt_work *work)
{
	struct kt_replay *r = context;

	(void)submission;
	(void)work;
	KT_TRY(catch_up(r));
	return add(r, &(struct kt_step){
			      .kind = KT_STEP_REQUEST,
			      .thread = kt_timeline_events_thread(
				      &r->timeline.events, moment->instance, moment->tid),
			      .index = r->timeline.requests.n - 1});
}

/*
 * Gaps of all processes and times are reported, so this function checks the selected part.
 */
static int on_gap(void *context, const struct kt_moment *moment, uint64_t n)
{
	struct kt_replay *r = context;
	const struct kt_trace_filter *part = &r->options->part;

	KT_TRY(catch_up(r));
	if (part->any && (!kt_trace_filter_process(part, moment->process, moment->pid) ||
			  moment->time < part->begin || moment->time > part->end)) {
		return KT_OK;
	}
	return add(r, &(struct kt_step){.kind = KT_STEP_GAP,
					.thread = KT_TIMELINE_NONE,
					.number = n,
					.time = r->timeline.events.shift +
						kt_timeline_limited(moment->time)});
}

static int on_end(void *context)
{
	return catch_up(context);
}

static const struct kt_activity_visitor visitor = {
	.of_part = true,
	.end = on_end,
	.gap = on_gap,
	.call_enter = on_call_enter,
	.call_exit = on_call_exit,
	.submission = on_submission,
};

static int read_traces(struct kt_replay *r)
{
	struct kt_trace_options options = {.source = r->options->source,
					   .events = &kt_annotate_events};
	const struct kt_activity_visitor *const visitors[] = {&visitor};
	void *const contexts[] = {r};
	kt_alphabet *alphabet = NULL;
	int code;

	KT_TRY(kt_alphabet_open(&alphabet, KT_ALPHABET_DEFAULT));
	options.alphabet = alphabet;
	for (size_t i = 0; i < r->inputs.n; i++) {
		KT_TRY_END(kt_timeline_open(&r->timeline, r->inputs.paths[i], 0, &options));
	}
	for (r->reading = 0; r->reading < r->inputs.n; r->reading++) {
		KT_TRY_END(kt_timeline_read(&r->timeline, r->reading, &r->options->part,
					    visitors, contexts, 1));
	}
	code = KT_OK;
end:
	kt_alphabet_free(alphabet);
	return code;
}

int kt_replay_make(struct kt_replay *r, const struct kt_replay_options *options,
		   char *const *paths, size_t n)
{
	r->options = options;
	kt_timeline_init(&r->timeline);
	KT_TRY(kt_inputs_open(&r->inputs, paths, n));
	r->traces = calloc(r->inputs.n + 1, sizeof(*r->traces));
	if (!r->traces) {
		return kt_no_memory("read traces");
	}
	KT_TRY(read_traces(r));
	KT_TRY(kt_replay_make_lines(r));
	KT_TRY(kt_trace_filter_judge(&options->part));
	return options->strict ? kt_timeline_judge(&r->timeline) : KT_OK;
}

void kt_replay_free(struct kt_replay *r)
{
	for (size_t i = 0; r->traces && i < r->inputs.n; i++) {
		free(r->traces[i].steps);
		kt_lines_free(&r->traces[i].lines);
	}
	free(r->traces);
	kt_timeline_free(&r->timeline);
	kt_inputs_free(&r->inputs);
	*r = (struct kt_replay){.options = NULL};
}
