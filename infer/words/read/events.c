/* SPDX-License-Identifier: MIT */
#include "infer/words/read/events.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ktail/status.h>

#include "base/array.h"
#include "base/guard.h"
#include "infer/words/read/event-fields.h"
#include "infer/words/read/event-order.h"
#include "infer/words/read/graph.h"
#include "infer/words/read/known-traces.h"
#include "infer/words/read/trace-folders.h"

#define SEEN 64 /* a power of two */

struct kt_events {
	struct kt_events_options options;
	struct kt_trace_folders folders; /* folders.paths is NULL: none is open */
	struct kt_sink_data data;
	struct kt_graph *graph; /* Owned by this */
	bool more;              /* in the graph */
	bool surveyed;          /* it is read for the second time */
	struct kt_trace_report report;
	struct kt_event_order *order; /* Owned by this */
	struct kt_known_traces traces;
	struct kt_event_layout **layouts; /* Owned by this, each as well */
	size_t n_layouts;
	size_t layouts_capacity;
	struct kt_event_layout *seen[SEEN]; /* Weak: those found last, by address */
	struct kt_queued current;           /* its message is NULL: there is none */
	struct kt_event event;
	struct kt_event_source source;
};

/* --- classes --- */

static int add_layout(kt_events *e, const bt_event_class *class_,
		      struct kt_event_layout **out)
{
	struct kt_event_layout *layout = malloc(sizeof(*layout));
	int code = layout ? kt_array_reserve(&e->layouts, &e->layouts_capacity,
					     e->n_layouts + 1)
			  : kt_error(KT_E_MEMORY, "read events: out of memory");

	code = code ? code : kt_event_layout_bind(layout, class_, &e->options);
	if (code) {
		free(layout);
		return code;
	}
	e->layouts[e->n_layouts++] = layout;
	*out = layout;
	return KT_OK;
}

static int find_layout(kt_events *e, const bt_event_class *class_,
		       struct kt_event_layout **out)
{
	struct kt_event_layout **seen =
		&e->seen[(uintptr_t)class_ * UINT64_C(0x9e3779b97f4a7c15) >> 58];
	int code = KT_OK;

	if (!*seen || (*seen)->class_ != class_) {
		size_t i = 0;

		while (i < e->n_layouts && e->layouts[i]->class_ != class_) {
			i++;
		}
		if (i < e->n_layouts) {
			*seen = e->layouts[i];
		} else {
			code = add_layout(e, class_, seen);
		}
	}
	*out = *seen;
	return code;
}

/* --- one event in --- */

/* What an event says of its process's name; NULL: nothing. */
static const char *name_of(const struct kt_event_layout *layout, const bt_event *event,
			   const bt_field *payload)
{
	struct kt_value v = {.text = NULL};

	if (layout->event == KT_EVENT_BEGIN && layout->process_name.index != KT_NO_FIELD) {
		kt_member_get(&layout->process_name, payload, &v);
	} else if (layout->procname.index != KT_NO_FIELD) {
		kt_member_get(&layout->procname,
			      bt_event_borrow_common_context_field_const(event), &v);
	}
	return v.text;
}

/* All streams begin in front of the first event of any. */
static void begin_survey(kt_events *e)
{
	if (e->data.user && e->data.kernel && !e->surveyed) {
		kt_event_order_survey(e->order);
	}
}

static int take_ours(kt_events *e, struct kt_event_layout *layout,
		     const bt_message *message, const bt_event *event)
{
	const bt_field *payload = bt_event_borrow_payload_field_const(event);
	struct kt_queued queued = {
		.message = message, .class_ = layout, .kind = layout->event};
	struct kt_origin origin = {.kernel = layout->provider == KT_PROVIDER_KERNEL,
				   .no_seq = layout->seq.index == KT_NO_FIELD};
	const struct kt_known_trace *trace;
	int code = kt_known_traces_find(
		&e->traces, &trace, &layout->trace,
		bt_stream_borrow_trace_const(bt_event_borrow_stream_const(event)));

	if (code) {
		return code;
	}
	origin.trace = trace->number;
	origin.host = trace->host;
	origin.pid = (uint32_t)kt_member_number(&layout->pid, payload);
	queued.tid = (uint32_t)kt_member_number(&layout->tid, payload);
	queued.seq = kt_member_number(&layout->seq, payload);
	queued.vpid = (uint32_t)kt_member_number(&layout->vpid, payload);
	queued.acts = layout->acts;
	queued.time = kt_event_time(layout->has_clock, message);
	if (e->report.totals.events++ == 0) {
		e->report.first_time = queued.time;
		begin_survey(e);
	}
	e->report.last_time = queued.time;
	return kt_event_order_add(e->order, &origin, &queued,
				  name_of(layout, event, payload));
}

static int take(void *taker, const bt_message *message)
{
	const bt_event *event = bt_message_event_borrow_event_const(message);
	struct kt_event_layout *layout;
	int code = find_layout(taker, bt_event_borrow_class_const(event), &layout);

	if (!code && (layout->provider == KT_PROVIDER_USER ||
		      layout->provider == KT_PROVIDER_KERNEL)) {
		code = take_ours(taker, layout, message, event);
	}
	return code;
}

/* --- the graph --- */

static int make_graph(kt_events *e)
{
	e->data = (struct kt_sink_data){.take = take, .taker = e, .folders = &e->folders};
	e->more = true;
	return kt_graph_new(&e->graph, e->folders.paths, e->folders.found.n, &e->data);
}

/* What is known of the graph's classes and traces goes with it. */
static void free_graph(kt_events *e)
{
	for (size_t i = 0; i < e->n_layouts; i++) {
		kt_event_layout_release(e->layouts[i]);
		free(e->layouts[i]);
	}
	e->n_layouts = 0;
	memset(e->seen, 0, sizeof(e->seen));
	kt_known_traces_free(&e->traces);
	e->traces = (struct kt_known_traces){.n = 0};
	kt_graph_free(e->graph);
	e->graph = NULL;
}

/* Behind a survey: from the first event again, without those of the other side. */
static int begin_anew(kt_events *e)
{
	int code = kt_event_order_choose(e->order, e->options.source);

	e->surveyed = true;
	free_graph(e);
	return code ? code : make_graph(e);
}

/* --- one event out --- */

static void show(kt_events *e)
{
	const struct kt_event_layout *layout = e->current.class_;
	const struct kt_life *life = e->current.life;

	e->source.layout = layout;
	e->source.payload = bt_event_borrow_payload_field_const(
		bt_message_event_borrow_event_const(e->current.message));
	e->event = (struct kt_event){
		.name = layout->name,
		.time = e->current.time,
		.pid = kt_life_origin(life)->pid,
		.tid = e->current.tid,
		.seq = e->current.seq,
		.process = kt_life_ordinal(life),
		.process_name = kt_life_name(life),
		.kernel = kt_life_origin(life)->kernel,
		.source = &e->source,
	};
}

/* Runs the graph until an event is ready, or there are no more. */
static int advance(kt_events *e)
{
	int code = KT_OK;

	while (!code && !kt_event_order_take(e->order, &e->current)) {
		e->current.message = NULL;
		if (!e->more) {
			break;
		}
		code = kt_graph_step(e->graph, &e->more, e->report.stopped,
				     sizeof(e->report.stopped));
		kt_trace_folders_name(&e->folders, e->report.stopped,
				      sizeof(e->report.stopped));
		e->report.discarded_events = e->data.counts.discarded_events;
		e->report.discarded_packets = e->data.counts.discarded_packets;
		if (!code && !e->more) {
			code = kt_event_order_surveys(e->order)
				       ? begin_anew(e)
				       : kt_event_order_end(e->order);
		}
	}
	return code;
}

int kt_events_next(kt_events *events, const struct kt_event **out)
{
	int code;

	*out = NULL;
	bt_message_put_ref(events->current.message);
	events->current.message = NULL;
	code = kt_guard_judge(advance(events));
	if (!code && events->current.message) {
		show(events);
		*out = &events->event;
	}
	return code;
}

/* --- life --- */

static int open_graph(kt_events *e, const char *path)
{
	int code = kt_trace_folders_open(&e->folders, path, &e->report);

	if (code) {
		e->folders.paths = NULL;
		return code;
	}
	code = make_graph(e);
	if (code) {
		code = kt_trace_folders_fail(&e->folders, code);
		code = kt_error_prepend(code, "read %s", path);
	}
	return code;
}

int kt_events_open(kt_events **out, const char *path,
		   const struct kt_events_options *options)
{
	kt_events *e = calloc(1, sizeof(*e));
	int code;

	*out = NULL;
	if (!e) {
		return kt_error(KT_E_MEMORY, "read %s: out of memory", path);
	}
	if (options) {
		e->options = *options;
	}
	e->source.n_slots = e->options.n_slots;
	code = kt_event_order_new(&e->order, &e->report.totals);
	code = code ? code : open_graph(e, path);
	if (code) {
		kt_events_free(e);
		return code;
	}
	*out = e;
	return KT_OK;
}

void kt_events_free(kt_events *events)
{
	if (!events) {
		return;
	}
	/* The messages go first: they are of the graph's pools. */
	bt_message_put_ref(events->current.message);
	kt_event_order_free(events->order);
	free_graph(events);
	free(events->layouts);
	if (events->folders.paths) {
		kt_trace_folders_close(&events->folders);
	}
	free(events->source.words);
	free(events);
}

const struct kt_trace_report *kt_events_report(const kt_events *events)
{
	return &events->report;
}
