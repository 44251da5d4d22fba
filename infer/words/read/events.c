/* SPDX-License-Identifier: MIT */
#include "infer/words/read/events.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ktail/status.h>

#include "base/array.h"
#include "base/guard.h"
#include "base/try.h"
#include "infer/words/read/event-class.h"
#include "infer/words/read/event-order.h"
#include "infer/words/read/graph.h"
#include "infer/words/read/trace-folders.h"

struct kt_events {
	struct kt_events_options options;
	struct kt_trace_folders folders; /* folders.paths is NULL: none is open */
	struct kt_sink_data data;
	struct kt_graph *graph; /* Owned by this */
	bool more;              /* in the graph */
	bool surveyed;          /* it is read for the second time */
	struct kt_trace_report report;
	struct kt_event_order *order; /* Owned by this */
	struct kt_event_classes classes;
	struct kt_queued current; /* its message is NULL: there is none */
	struct kt_event event;
	const struct kt_event_class *class_; /* Weak: of the event */
	const bt_field *payload;             /* Weak: likewise */
	uint32_t *words;                     /* Owned by this: the ones read last */
	size_t words_capacity;
};

/* --- one event in --- */

static int take(void *taker, const bt_message *message)
{
	kt_events *e = taker;
	struct kt_event_head head;
	struct kt_queued queued;
	struct kt_instance *instance;

	KT_TRY(kt_event_head_read(&head, &e->classes, message));
	if (!kt_event_is_ours(&head)) {
		return KT_OK;
	}
	if (e->report.totals.events++ == 0) {
		e->report.first_time = head.time;
		/* All streams begin before the first event of any. */
		if (e->data.user && e->data.kernel && !e->surveyed) {
			kt_event_order_survey(e->order);
		}
	}
	e->report.last_time = head.time;
	queued = (struct kt_queued){.seq = head.seq,
				    .message = message,
				    .class_ = head.class_,
				    .time = head.time,
				    .tid = head.tid,
				    .kind = head.class_->event};
	KT_TRY(kt_event_order_add(e->order, &head.origin, &queued, &instance));
	return kt_event_note_instance(&head, instance);
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
	kt_event_classes_clear(&e->classes);
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

	*out = NULL;
	bt_message_put_ref(current->message);
	current->message = NULL;
	KT_TRY(kt_guard_judge(advance(events)));
	if (!current->message) {
		return KT_OK;
	}
	events->class_ = current->class_;
	events->payload = bt_event_borrow_payload_field_const(
		bt_message_event_borrow_event_const(current->message));
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
	e->classes.shapes = e->options.shapes;
	e->classes.n_shapes = e->options.n_shapes;
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
	if (events->folders.paths) {
		kt_trace_folders_close(&events->folders);
	}
	free(events->words);
	free(events);
}

const struct kt_trace_report *kt_events_report(const kt_events *events)
{
	return &events->report;
}

/* --- fields --- */

static void read_words(kt_events *e, const bt_field *array, struct kt_event_words *out)
{
	size_t n = (size_t)bt_field_array_get_length(array);

	/* Room for one more, as there may be none of them. */
	if (kt_array_reserve(&e->words, &e->words_capacity, n + 1)) {
		return;
	}
	for (size_t i = 0; i < n; i++) {
		e->words[i] = (uint32_t)bt_field_integer_unsigned_get_value(
			bt_field_array_borrow_element_field_by_index_const(array, i));
	}
	*out = (struct kt_event_words){e->words, n};
}

static void read_numbers(const bt_field *array, struct kt_event_numbers *out)
{
	size_t n = (size_t)bt_field_array_get_length(array);

	out->n = n < KT_EVENT_NUMBERS ? n : KT_EVENT_NUMBERS;
	for (size_t i = 0; i < out->n; i++) {
		out->items[i] = bt_field_integer_unsigned_get_value(
			bt_field_array_borrow_element_field_by_index_const(array, i));
	}
}

void kt_event_read(const struct kt_event *event, void *out)
{
	kt_events *e = event->events;

	for (size_t i = 0; i < e->class_->n_fields; i++) {
		const struct kt_bound_field *field = &e->class_->fields[i];
		const bool there = field->member.index != KT_NO_FIELD;
		void *at = (char *)out + field->offset;
		struct kt_value v = {.number = 0};
		const bt_field *array = NULL;

		if (there && field->type >= KT_FIELD_WORDS) {
			array = bt_field_structure_borrow_member_field_by_index_const(
				e->payload, field->member.index);
		} else if (there) {
			kt_member_get(&field->member, e->payload, &v);
		}
		switch (field->type) {
		case KT_FIELD_TEXT: *(const char **)at = there ? v.text : ""; break;
		case KT_FIELD_BOOL: *(bool *)at = v.number != 0; break;
		case KT_FIELD_UINT32: *(uint32_t *)at = (uint32_t)v.number; break;
		case KT_FIELD_UINT64: *(uint64_t *)at = v.number; break;
		case KT_FIELD_INT32: *(int32_t *)at = (int32_t)v.number; break;
		case KT_FIELD_INT64: *(int64_t *)at = (int64_t)v.number; break;
		case KT_FIELD_WORDS:
			*(struct kt_event_words *)at = (struct kt_event_words){0};
			if (array) {
				read_words(e, array, at);
			}
			break;
		case KT_FIELD_NUMBERS:
			*(struct kt_event_numbers *)at = (struct kt_event_numbers){0};
			if (array) {
				read_numbers(array, at);
			}
			break;
		}
	}
}
