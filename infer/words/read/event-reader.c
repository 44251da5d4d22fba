/* SPDX-License-Identifier: MIT */
#include "infer/words/read/event-reader.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ktail/status.h>

#include "base/array.h"
#include "base/hash-index.h"
#include "base/try.h"
#include "infer/words/commands/command-letters.h"
#include "infer/words/read/event-class.h"
#include "infer/words/read/time-text.h"
#include "infer/words/split/letter-calls.h"

struct kt_event_reader {
	const kt_alphabet *alphabet; /* Weak */
	kt_collector *collector;     /* Weak */
	kt_letters *letters;         /* Owned by this */
	bool details;
	struct kt_command_events events; /* of an alphabet of commands */
	struct kt_command_letters commands;
	int64_t first_time;
	int64_t time;
	struct kt_event_classes classes;
	bool follows; /* calls of the API */
	struct kt_letter_calls calls;
	char *text; /* details, NUL-ended */
	size_t text_length;
	size_t text_capacity;
	size_t *texts; /* where each begins */
	size_t n_texts;
	size_t texts_capacity;
};

static int keep_text(void *context, const char *text, size_t length, uint32_t *detail)
{
	kt_event_reader *r = context;

	KT_TRY(kt_array_reserve(&r->text, &r->text_capacity, r->text_length + length + 1));
	KT_TRY(kt_array_reserve(&r->texts, &r->texts_capacity, r->n_texts + 1));
	if (r->n_texts == UINT32_MAX) {
		return kt_error(KT_E_MEMORY, "keep detail of an event: too many");
	}
	r->texts[r->n_texts++] = r->text_length;
	*detail = (uint32_t)r->n_texts;
	memcpy(r->text + r->text_length, text, length);
	r->text_length += length;
	r->text[r->text_length++] = '\0';
	return KT_OK;
}

int kt_event_reader_new(kt_event_reader **out, const kt_alphabet *alphabet,
			kt_collector *collector, bool details)
{
	kt_event_reader *r = calloc(1, sizeof(*r));
	int code;

	*out = NULL;
	if (!r) {
		return kt_no_memory("read events");
	}
	r->alphabet = alphabet;
	r->classes.alphabet = alphabet;
	r->collector = collector;
	r->details = details;
	code = kt_letters_new(&r->letters);
	if (code) {
		free(r);
		return code;
	}
	if (!kt_letter_filter_is_empty(&alphabet->filter)) {
		kt_collector_set_filter(collector, &alphabet->filter, r->letters);
	}
	/* What doorbells submitted becomes letters once each process's events are in order.
	 */
	if (alphabet->commands != KT_COMMANDS_NONE) {
		r->commands =
			(struct kt_command_letters){.alphabet = alphabet->commands,
						    .letters = r->letters,
						    .of = &r->events,
						    .keep = details ? keep_text : NULL,
						    .keep_context = r};
		if (kt_collector_listens(collector)) {
			r->events.streams = true;
			r->commands.forget = &r->events;
		}
		kt_collector_set_encoding(collector, &kt_command_encoding, &r->commands);
	}
	r->follows = !kt_collector_listens(collector);
	r->calls.details = details;
	if (r->follows) {
		kt_collector_set_follow(collector, kt_letter_calls_follow, &r->calls);
	}
	*out = r;
	return KT_OK;
}

void kt_event_reader_free(kt_event_reader *reader)
{
	if (!reader) {
		return;
	}
	kt_event_classes_clear(&reader->classes);
	kt_letter_calls_free(&reader->calls);
	kt_letters_free(reader->letters);
	kt_command_letters_free(&reader->commands);
	kt_command_events_free(&reader->events);
	free(reader->text);
	free(reader->texts);
	free(reader);
}

int kt_event_reader_pass(void *reader, int64_t now)
{
	return kt_collector_pass_time(((kt_event_reader *)reader)->collector, now);
}

int64_t kt_event_reader_first_time(const kt_event_reader *reader)
{
	return reader->first_time;
}

int64_t kt_event_reader_time(const kt_event_reader *reader)
{
	return reader->time;
}

const kt_letters *kt_event_reader_letters(const kt_event_reader *reader)
{
	return reader->letters;
}

const char *kt_event_reader_detail(const kt_event_reader *reader, uint32_t detail)
{
	detail = kt_letter_calls_detail(&reader->calls, detail);
	return detail && detail <= reader->n_texts
		       ? reader->text + reader->texts[detail - 1]
		       : NULL;
}

bool kt_event_reader_call(const kt_event_reader *reader, uint32_t detail,
			  struct kt_letter_call *out)
{
	const struct kt_letter_calls *calls = &reader->calls;
	const struct kt_call_event *call = kt_letter_calls_call(calls, detail);

	if (!call) {
		return false;
	}
	*out = (struct kt_letter_call){
		.name = calls->names.items[call->name],
		.correlation = call->correlation,
		.outermost =
			calls->names
				.items[kt_letter_calls_event(calls, call->outermost)->name],
	};
	return true;
}

/* --- one event --- */

static int get_letter(kt_event_reader *r, const struct kt_event_class *c,
		      const bt_field *payload, struct kt_record *record)
{
	struct kt_value values[KT_ALPHABET_MAX_FIELDS];
	enum kt_run run;
	uint32_t letter;

	record->letter = KT_NO_LETTER;
	if (!c->rules) {
		return KT_OK;
	}
	for (size_t i = 0; i < c->rules->n_fields; i++) {
		kt_member_get(&c->slots[i], payload, &values[i]);
	}
	if (r->alphabet->commands != KT_COMMANDS_NONE) {
		const bt_field *words = NULL;

		if (c->words.index != KT_NO_FIELD) {
			words = bt_field_structure_borrow_member_field_by_index_const(
				payload, c->words.index);
		}
		return kt_command_events_add(&r->events, c->rules, values, words,
					     &record->detail);
	}
	KT_TRY(kt_letters_eval(r->letters, c->rules, values, &letter, &run));
	record->letter = letter & KT_NO_LETTER;
	if (run != KT_RUN_NONE) {
		record->run = run;
		record->mapping = (uint32_t)values[c->rules->mapping].number;
	}
	return KT_OK;
}

/* Keeps all fields but those that every event has. */
static int keep_detail(kt_event_reader *r, const struct kt_event_class *c,
		       const bt_field *payload, uint32_t *detail)
{
	const bt_field_class *all =
		bt_event_class_borrow_payload_field_class_const(c->class_);
	uint64_t n = bt_field_class_structure_get_member_count(all);
	char *text = NULL;
	size_t length = 0;
	FILE *out = open_memstream(&text, &length);
	int code;

	if (!out) {
		return kt_error_errno(KT_E_MEMORY, "keep detail of an event");
	}
	for (uint64_t i = 0; i < n; i++) {
		const bt_field_class_structure_member *member =
			bt_field_class_structure_borrow_member_by_index_const(all, i);
		const char *name = bt_field_class_structure_member_get_name(member);
		const bt_field_class *class_ =
			bt_field_class_structure_member_borrow_field_class_const(member);
		struct kt_member m;
		struct kt_value v = {.text = NULL};

		if (i == c->pid.index || i == c->tid.index || i == c->seq.index ||
		    !kt_member_of(&m, all, name)) {
			continue;
		}
		kt_member_get(&m, payload, &v);
		fprintf(out, "%s%s=", ftell(out) ? " " : "", name);
		if (v.kind == KT_VALUE_STRING) {
			fputs(v.text, out);
		} else if (v.kind == KT_VALUE_SIGNED) {
			fprintf(out, "%" PRId64, (int64_t)v.number);
		} else if (
			bt_field_class_get_type(class_) != BT_FIELD_CLASS_TYPE_BOOL &&
			bt_field_class_integer_get_preferred_display_base(class_) ==
				BT_FIELD_CLASS_INTEGER_PREFERRED_DISPLAY_BASE_HEXADECIMAL) {
			fprintf(out, "0x%" PRIx64, v.number);
		} else {
			fprintf(out, "%" PRIu64, v.number);
		}
	}
	code = fclose(out) == 0 ? keep_text(r, text, length, detail)
				: kt_error_errno(KT_E_MEMORY, "keep detail of an event");
	free(text);
	return code;
}

static int read_ours(kt_event_reader *r, const struct kt_event_head *head)
{
	const struct kt_event_class *c = head->class_;
	struct kt_record record = {
		.seq = head->seq, .time = head->time, .tid = head->tid, .kind = c->event};
	struct kt_value name = {.text = NULL};
	int code = get_letter(r, c, head->payload, &record);

	if (code) {
		char when[KT_TIME_TEXT];

		kt_time_text(when, record.time);
		return kt_error_prepend(code, "at %s", when);
	}
	if (kt_collector_totals(r->collector)->events == 0) {
		r->first_time = record.time;
	}
	r->time = record.time;
	if (r->details && record.letter != KT_NO_LETTER) {
		KT_TRY(keep_detail(r, c, head->payload, &record.detail));
	}
	if (c->call && r->follows) {
		kt_member_get(&c->name, head->payload, &name);
		KT_TRY(kt_letter_calls_add(&r->calls, c->enter,
					   kt_member_number(&c->correlation, head->payload),
					   name.text, &record));
	}
	KT_TRY(kt_collector_add(r->collector, &head->origin, &record));
	return kt_event_note_instance(head, kt_collector_instance(r->collector));
}

int kt_event_reader_take(void *taker, const bt_message *message)
{
	kt_event_reader *r = taker;
	struct kt_value name = {.text = NULL};
	const struct kt_event_class *c;
	struct kt_event_head head;
	const bt_value *env;

	KT_TRY(kt_event_head_read(&head, &r->classes, message));
	c = head.class_;
	if (kt_event_is_ours(&head)) {
		return read_ours(r, &head);
	}
	if (c->provider != KT_PROVIDER_PROCNAME || c->procname.index == KT_NO_FIELD) {
		return KT_OK;
	}
	KT_TRY(kt_event_origin(&head.origin, &r->classes, &head));
	/* A name without a pid is of use only in traces that have one process each. */
	env = bt_trace_borrow_environment_entry_value_by_name_const(
		bt_stream_borrow_trace_const(bt_event_borrow_stream_const(head.event)),
		"vpid");
	if (c->vpid.index != KT_NO_FIELD) {
		head.origin.pid = (uint32_t)kt_member_number(
			&c->vpid, bt_event_borrow_common_context_field_const(head.event));
	} else if (env && bt_value_is_signed_integer(env)) {
		head.origin.pid = (uint32_t)bt_value_integer_signed_get(env);
	} else {
		return KT_OK;
	}
	kt_member_get(&c->procname, bt_event_borrow_payload_field_const(head.event), &name);
	return kt_collector_name_pid(r->collector, &head.origin, name.text);
}
