/* SPDX-License-Identifier: MIT */
#include "infer/words/read/events.h"

#include <stdlib.h>

#include <ktail/status.h>

#include "base/guard.h"
#include "base/try.h"
#include "infer/words/read/event-order.h"
#include "infer/words/read/kept-events.h"
#include "infer/words/read/trace-input.h"
#include "infer/words/split/sources.h"

struct kt_events {
	struct kt_events_options options;
	/* not open if the events are those kept by a kt_trace */
	struct kt_trace_input input;
	struct kt_event_classes classes; /* event classes of the input */
	struct kt_instances instances;   /* process instances of the input */
	struct kt_kept_events own;       /* used if the input has both sources */
	/*
	 * the input has both sources, so all events are kept before the first is returned
	 */
	bool keeps;
	/* Weak: kept events to return; NULL: events come from the input */
	const struct kt_kept_events *kept;
	struct kt_kept_position position; /* position of the next event in `kept` */
	bool over;                        /* no more events come */
	/* time that a live session has reached; reported and used up to `passed` */
	int64_t now;
	int64_t passed;
	struct kt_trace_report report;
	struct kt_event_order *order; /* Owned by this */
	/* the member `message` is NULL for a kept event, or if there is no event */
	struct kt_queued current;
	struct kt_event event;
	const struct kt_event_class *class_; /* Weak: class of the current event */
	struct kt_fields_buffer buffer;
};

/* --- input --- */

static int take_one(kt_events *e, const struct kt_event_head *event)
{
	const struct kt_event_head head = *event;
	struct kt_arrival arrival;
	struct kt_queued queued;

	if (e->report.totals.events++ == 0) {
		e->report.first_time = head.time;
		/* All streams begin before the first event, so both flags are final now. */
		e->keeps = e->input.data.user && e->input.data.kernel;
	}
	e->report.last_time = head.time;
	if (e->input.live) {
		e->now = head.time;
		e->keeps = false;
		if (e->input.data.user && e->input.data.kernel &&
		    head.origin.kernel != (e->options.source == KT_SOURCE_KERNEL)) {
			return KT_OK;
		}
	}
	KT_TRY(kt_instances_take(&e->instances, &head.origin, head.seq, head.class_->event,
				 head.time, &arrival));
	if (kt_event_gives_up(&head)) {
		kt_given_up_add(&e->report.given_up, &head, arrival.instance);
	}
	if (e->keeps) {
		KT_TRY(kt_kept_events_add(&e->own, &head, arrival.instance));
	} else {
		queued = (struct kt_queued){.seq = head.seq,
					    .message = head.message,
					    .payload = head.payload,
					    .class_ = head.class_,
					    .instance = arrival.instance,
					    .time = head.time,
					    .tid = head.tid};
		KT_TRY(kt_event_order_add(e->order, &queued));
	}
	return kt_event_note_instance(&head, arrival.instance);
}

static int take(void *taker, const bt_message *message)
{
	kt_events *e = taker;
	struct kt_event_parts parts;
	struct kt_event_head head;

	KT_TRY(kt_event_head_read(&head, &e->classes, message));
	if (!kt_event_is_ours(&head)) {
		return KT_OK;
	}
	kt_event_parts_begin(&parts, &head);
	while (kt_event_parts_next(&parts, &head)) {
		KT_TRY(take_one(e, &head));
	}
	return KT_OK;
}

static int take_time(void *taker, int64_t now)
{
	((kt_events *)taker)->now = now;
	return KT_OK;
}

/* --- output --- */

/* Reports the time that the live session has reached, when no event is ready. */
static int report_time(kt_events *e)
{
	if (!e->options.pass || e->now == e->passed) {
		return KT_OK;
	}
	e->passed = e->now;
	KT_TRY(e->options.pass(e->options.context, e->now));
	return kt_event_order_pass(e->order, e->now);
}

/* Reads more events. At the end of the input, all pending events become ready. */
static int take_more(kt_events *e)
{
	struct kt_queued queued;
	bool more;

	if (e->kept && kt_kept_events_next(e->kept, &e->position, &queued)) {
		return kt_event_order_add(e->order, &queued);
	}
	if (!e->kept) {
		KT_TRY(kt_trace_input_step(&e->input, &more));
		KT_TRY(more ? KT_OK
			    : kt_trace_input_judge(&e->input,
						   e->input.found.folders[0].path,
						   e->report.totals.events));
		if (!more && e->keeps) {
			/*
			 * All process instances are known now, so their sources can be
			 * chosen.
			 */
			KT_TRY(kt_sources_choose(e->instances.items, e->instances.n,
						 e->options.source));
			e->kept = &e->own;
		}
		if (more || e->keeps) {
			return KT_OK;
		}
	}
	e->over = true;
	return kt_event_order_end(e->order);
}

int kt_events_next(kt_events *events, const struct kt_event **out)
{
	struct kt_queued *current = &events->current;

	*out = NULL;
	bt_message_put_ref(current->message);
	current->message = NULL;
	while (!kt_event_order_take(events->order, current)) {
		if (events->over) {
			return KT_OK;
		}
		KT_TRY(report_time(events));
		KT_TRY(kt_guard_judge(take_more(events)));
	}
	events->class_ = current->class_;
	events->event = (struct kt_event){
		.name = events->class_->event_name,
		.time = current->time,
		.pid = current->instance->origin.pid,
		.tid = current->tid,
		.seq = current->seq,
		.process = current->instance->number,
		.process_name =
			current->instance->name ? current->instance->name : "unknown",
		.kernel = current->instance->origin.kernel,
		.shape = events->class_->shape,
		.call = events->class_->call,
		.events = events,
	};
	*out = &events->event;
	return KT_OK;
}

void kt_event_read(const struct kt_event *event, void *out)
{
	kt_events *e = event->events;

	if (e->current.message) {
		kt_fields_read(&e->buffer, e->class_, &e->current.payload, out);
	} else {
		kt_fields_read_copy(e->class_, e->current.fields, out);
	}
}

/* --- creation and destruction --- */

/* Creates an iterator without an input. */
static int make(kt_events **out)
{
	kt_events *e = calloc(1, sizeof(*e));
	int code = e ? kt_event_order_new(&e->order, &e->report.totals)
		     : kt_no_memory("read events");

	if (code) {
		free(e);
		return code;
	}
	*out = e;
	return KT_OK;
}

int kt_events_open(kt_events **out, const char *path,
		   const struct kt_events_options *options)
{
	kt_events *e;
	int code;

	*out = NULL;
	KT_TRY(make(&e));
	if (options) {
		e->options = *options;
	}
	e->instances.size = sizeof(struct kt_instance);
	e->classes.shapes = e->options.shapes;
	e->classes.n_shapes = e->options.n_shapes;
	e->input.data.take = take;
	e->input.data.taker = e;
	e->input.data.stop = e->options.stop;
	e->input.data.pass = e->options.pass ? take_time : NULL;
	KT_TRY_END(kt_trace_input_open(&e->input, path, &e->report));
	*out = e;
	return KT_OK;
end:
	kt_events_free(e);
	return code;
}

int kt_events_of(kt_events **out, const kt_trace *trace)
{
	kt_events *e;

	*out = NULL;
	KT_TRY(make(&e));
	e->report = *kt_trace_report(trace);
	e->report.totals = (struct kt_collect_totals){.events = e->report.totals.events};
	e->kept = kt_trace_kept(trace);
	*out = e;
	return KT_OK;
}

void kt_events_free(kt_events *events)
{
	if (!events) {
		return;
	}
	/* Releases messages first, because they belong to pools of the graph. */
	bt_message_put_ref(events->current.message);
	kt_event_order_free(events->order);
	kt_event_classes_clear(&events->classes);
	kt_trace_input_close(&events->input);
	kt_kept_events_free(&events->own);
	kt_instances_free(&events->instances);
	free(events->buffer.words);
	free(events);
}

const struct kt_trace_report *kt_events_report(const kt_events *events)
{
	return &events->report;
}
