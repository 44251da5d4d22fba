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

/* What the fields of the event in hand are read with. */
struct kt_event_source {
	const struct kt_event_class *class_; /* Weak */
	const bt_field *payload;             /* Weak */
	size_t n_slots;
	uint32_t *words; /* Owned by this: of the sequence asked for last */
	size_t words_capacity;
};

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
	struct kt_event_source source;
};

/* --- one event in --- */

static int take(void *taker, const bt_message *message)
{
	kt_events *e = taker;
	struct kt_event_head head;
	struct kt_queued queued;
	struct kt_life *life;

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
	KT_TRY(kt_event_order_add(e->order, &head.origin, &queued, &life));
	return kt_event_tell_life(&head, life);
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
	const struct kt_event_class *class_;

	*out = NULL;
	bt_message_put_ref(current->message);
	current->message = NULL;
	KT_TRY(kt_guard_judge(advance(events)));
	if (!current->message) {
		return KT_OK;
	}
	class_ = current->class_;
	events->source.class_ = class_;
	events->source.payload = bt_event_borrow_payload_field_const(
		bt_message_event_borrow_event_const(current->message));
	events->event = (struct kt_event){
		.name = class_->event_name,
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
	e->classes.slots = e->options.slots;
	e->classes.n_slots = e->source.n_slots = e->options.n_slots;
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
	free(events->source.words);
	free(events);
}

const struct kt_trace_report *kt_events_report(const kt_events *events)
{
	return &events->report;
}

/* --- fields --- */

static bool read_scalar(const struct kt_event_source *source,
			const struct kt_event_field *field, enum kt_value_kind kind,
			struct kt_value *out)
{
	if (field->member.index == KT_NO_FIELD || field->numbers ||
	    field->member.kind != kind) {
		return false;
	}
	kt_member_get(&field->member, source->payload, out);
	return true;
}

static bool read_unsigned(const struct kt_event *event, const struct kt_event_field *field,
			  uint64_t *out)
{
	struct kt_value v = {.text = NULL};

	if (!read_scalar(event->source, field, KT_VALUE_UNSIGNED, &v)) {
		return false;
	}
	*out = v.number;
	return true;
}

static bool read_signed(const struct kt_event *event, const struct kt_event_field *field,
			int64_t *out)
{
	struct kt_value v = {.text = NULL};

	if (!read_scalar(event->source, field, KT_VALUE_SIGNED, &v)) {
		return false;
	}
	*out = (int64_t)v.number;
	return true;
}

static bool read_string(const struct kt_event *event, const struct kt_event_field *field,
			const char **out)
{
	struct kt_value v = {.text = NULL};

	if (!read_scalar(event->source, field, KT_VALUE_STRING, &v)) {
		return false;
	}
	*out = v.text;
	return true;
}

static const bt_field *array_of(const struct kt_event *event,
				const struct kt_event_field *field)
{
	return bt_field_structure_borrow_member_field_by_index_const(event->source->payload,
								     field->member.index);
}

static bool read_words(const struct kt_event *event, const struct kt_event_field *field,
		       const uint32_t **words, size_t *n)
{
	struct kt_event_source *source = event->source;
	const bt_field *array;

	if (field->member.index == KT_NO_FIELD || !field->words) {
		return false;
	}
	array = array_of(event, field);
	*n = (size_t)bt_field_array_get_length(array);
	if (kt_array_reserve(&source->words, &source->words_capacity, *n)) {
		return false;
	}
	for (size_t i = 0; i < *n; i++) {
		source->words[i] = (uint32_t)bt_field_integer_unsigned_get_value(
			bt_field_array_borrow_element_field_by_index_const(array, i));
	}
	*words = source->words;
	return true;
}

/* --- by slot --- */

static const struct kt_event_field *field_of(const struct kt_event *event, size_t slot)
{
	static const struct kt_event_field none = {.member = {.index = KT_NO_FIELD}};

	return slot < event->source->n_slots ? &event->source->class_->fields[slot] : &none;
}

bool kt_event_unsigned(const struct kt_event *event, size_t slot, uint64_t *out)
{
	return read_unsigned(event, field_of(event, slot), out);
}

bool kt_event_signed(const struct kt_event *event, size_t slot, int64_t *out)
{
	return read_signed(event, field_of(event, slot), out);
}

bool kt_event_string(const struct kt_event *event, size_t slot, const char **out)
{
	return read_string(event, field_of(event, slot), out);
}

bool kt_event_words(const struct kt_event *event, size_t slot, const uint32_t **words,
		    size_t *n)
{
	return read_words(event, field_of(event, slot), words, n);
}

bool kt_event_numbers(const struct kt_event *event, size_t slot, uint64_t *out, size_t room,
		      size_t *n)
{
	const struct kt_event_field *field = field_of(event, slot);
	const bt_field *array;

	if (field->member.index == KT_NO_FIELD || !field->numbers) {
		return false;
	}
	array = array_of(event, field);
	*n = (size_t)bt_field_array_get_length(array);
	for (size_t i = 0; i < *n && i < room; i++) {
		out[i] = bt_field_integer_unsigned_get_value(
			bt_field_array_borrow_element_field_by_index_const(array, i));
	}
	return true;
}

/* --- by name --- */

static struct kt_event_field field_named(const struct kt_event *event, const char *name)
{
	struct kt_event_field field;

	kt_event_field_find(&field,
			    bt_event_class_borrow_payload_field_class_const(
				    event->source->class_->class_),
			    name);
	return field;
}

bool kt_event_named_unsigned(const struct kt_event *event, const char *field, uint64_t *out)
{
	struct kt_event_field f = field_named(event, field);

	return read_unsigned(event, &f, out);
}

bool kt_event_named_signed(const struct kt_event *event, const char *field, int64_t *out)
{
	struct kt_event_field f = field_named(event, field);

	return read_signed(event, &f, out);
}

bool kt_event_named_string(const struct kt_event *event, const char *field,
			   const char **out)
{
	struct kt_event_field f = field_named(event, field);

	return read_string(event, &f, out);
}

bool kt_event_named_words(const struct kt_event *event, const char *field,
			  const uint32_t **words, size_t *n)
{
	struct kt_event_field f = field_named(event, field);

	return read_words(event, &f, words, n);
}
