/* SPDX-License-Identifier: MIT */
#include "infer/words/read/events.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ktail/status.h>

#include "base/array.h"
#include "base/guard.h"
#include "base/try.h"
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

static int find_layout(kt_events *e, const bt_event_class *class_,
		       struct kt_event_layout **out)
{
	struct kt_event_layout **seen =
		&e->seen[(uintptr_t)class_ * UINT64_C(0x9e3779b97f4a7c15) >> 58];
	size_t i = 0;
	int code;

	*out = *seen;
	if (*seen && (*seen)->of.class_ == class_) {
		return KT_OK;
	}
	while (i < e->n_layouts && e->layouts[i]->of.class_ != class_) {
		i++;
	}
	if (i == e->n_layouts) {
		struct kt_event_layout *layout;

		KT_TRY(kt_array_reserve(&e->layouts, &e->layouts_capacity, i + 1));
		layout = malloc(sizeof(*layout));
		if (!layout) {
			return kt_no_memory("read events");
		}
		code = kt_event_layout_bind(layout, class_, &e->options);
		if (code) {
			free(layout);
			return code;
		}
		e->layouts[e->n_layouts++] = layout;
	}
	*out = *seen = e->layouts[i];
	return KT_OK;
}

/* --- one event in --- */

static int take(void *taker, const bt_message *message)
{
	kt_events *e = taker;
	const bt_event *event = bt_message_event_borrow_event_const(message);
	const bt_field *payload = bt_event_borrow_payload_field_const(event);
	struct kt_event_layout *layout;
	struct kt_event_class *c;
	struct kt_value name = {.text = NULL}; /* NULL: it says nothing of it */
	struct kt_queued queued;
	struct kt_origin origin;

	KT_TRY(find_layout(e, bt_event_borrow_class_const(event), &layout));
	c = &layout->of;
	if (c->provider != KT_PROVIDER_USER && c->provider != KT_PROVIDER_KERNEL) {
		return KT_OK;
	}
	KT_TRY(kt_event_class_origin(c, &e->traces, event, &origin));
	origin.pid = (uint32_t)kt_member_number(&c->pid, payload);
	queued = (struct kt_queued){
		.message = message,
		.class_ = layout,
		.time = kt_event_time(c->has_clock, message),
		.seq = kt_member_number(&c->seq, payload),
		.tid = (uint32_t)kt_member_number(&c->tid, payload),
		.vpid = (uint32_t)kt_member_number(&c->vpid, payload),
		.acts = c->acts,
		.kind = c->event,
	};
	if (e->report.totals.events++ == 0) {
		e->report.first_time = queued.time;
		/* All streams begin before the first event of any. */
		if (e->data.user && e->data.kernel && !e->surveyed) {
			kt_event_order_survey(e->order);
		}
	}
	e->report.last_time = queued.time;
	if (c->event == KT_EVENT_BEGIN && c->name.index != KT_NO_FIELD) {
		kt_member_get(&c->name, payload, &name);
	} else if (c->procname.index != KT_NO_FIELD) {
		kt_member_get(&c->procname,
			      bt_event_borrow_common_context_field_const(event), &name);
	}
	return kt_event_order_add(e->order, &origin, &queued, name.text);
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

/* --- one event out --- */

/* Runs the graph until an event is ready, or there are no more. */
static int advance(kt_events *e)
{
	int code;

	while (!kt_event_order_take(e->order, &e->current)) {
		e->current.message = NULL;
		if (!e->more) {
			return KT_OK;
		}
		code = kt_graph_step(e->graph, &e->more, e->report.stopped,
				     sizeof(e->report.stopped));
		kt_trace_folders_name(&e->folders, e->report.stopped,
				      sizeof(e->report.stopped));
		e->report.discarded_events = e->data.counts.discarded_events;
		e->report.discarded_packets = e->data.counts.discarded_packets;
		if (code) {
			return code;
		}
		if (!e->more && kt_event_order_surveys(e->order)) {
			/* From the first event again, without those of the other side. */
			code = kt_event_order_choose(e->order, e->options.source);
			e->surveyed = true;
			free_graph(e);
			KT_TRY(code);
			KT_TRY(make_graph(e));
		} else if (!e->more) {
			KT_TRY(kt_event_order_end(e->order));
		}
	}
	return KT_OK;
}

int kt_events_next(kt_events *events, const struct kt_event **out)
{
	struct kt_queued *current = &events->current;
	const struct kt_event_layout *layout;

	*out = NULL;
	bt_message_put_ref(current->message);
	current->message = NULL;
	KT_TRY(kt_guard_judge(advance(events)));
	if (!current->message) {
		return KT_OK;
	}
	layout = current->class_;
	events->source.layout = layout;
	events->source.payload = bt_event_borrow_payload_field_const(
		bt_message_event_borrow_event_const(current->message));
	events->event = (struct kt_event){
		.name = layout->of.event_name,
		.time = current->time,
		.pid = current->life->origin.pid,
		.tid = current->tid,
		.seq = current->seq,
		.process = current->life->number,
		.process_name = current->life->name ? current->life->name : "unknown",
		.kernel = current->life->origin.kernel,
		.source = &events->source,
	};
	*out = &events->event;
	return KT_OK;
}

/* --- life --- */

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
	KT_TRY_END(kt_event_order_new(&e->order, &e->report.totals));
	code = kt_trace_folders_open(&e->folders, path, &e->report);
	if (code) {
		e->folders.paths = NULL;
		goto end;
	}
	code = make_graph(e);
	if (code) {
		code = kt_trace_folders_fail(&e->folders, code);
		code = kt_error_prepend(code, "read %s", path);
		goto end;
	}
	*out = e;
	return KT_OK;
end:
	kt_events_free(e);
	return code;
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
