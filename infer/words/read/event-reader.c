/* SPDX-License-Identifier: MIT */
#include "infer/words/read/event-reader.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ktail/status.h>

#include "base/array.h"
#include "infer/words/commands/command-letters.h"
#include "infer/words/read/event-class.h"
#include "infer/words/read/known-traces.h"
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
	struct kt_event_class **table; /* open addressing by address, at most half full */
	size_t size;
	size_t n;
	struct kt_known_traces traces;
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
	int code =
		kt_array_reserve(&r->text, &r->text_capacity, r->text_length + length + 1);

	code = code ? code
		    : kt_array_reserve(&r->texts, &r->texts_capacity, r->n_texts + 1);
	if (!code && r->n_texts == UINT32_MAX) {
		code = kt_error(KT_E_MEMORY, "keep detail of an event: too many");
	}
	if (!code) {
		r->texts[r->n_texts++] = r->text_length;
		*detail = (uint32_t)r->n_texts;
		memcpy(r->text + r->text_length, text, length);
		r->text_length += length;
		r->text[r->text_length++] = '\0';
	}
	return code;
}

/* What doorbells submitted becomes letters once each process's events are in order. */
static void spell_commands(kt_event_reader *r)
{
	r->commands = (struct kt_command_letters){.alphabet = r->alphabet->commands,
						  .letters = r->letters,
						  .of = &r->events,
						  .keep = r->details ? keep_text : NULL,
						  .keep_context = r};
	if (kt_collector_listens(r->collector)) {
		r->events.streams = true;
		r->commands.forget = &r->events;
	}
	kt_collector_set_spell(r->collector, &kt_command_spelling, &r->commands);
}

int kt_event_reader_new(kt_event_reader **out, const kt_alphabet *alphabet,
			kt_collector *collector, bool details)
{
	kt_event_reader *r = calloc(1, sizeof(*r));
	int code;

	*out = NULL;
	if (!r) {
		return kt_error(KT_E_MEMORY, "read events: out of memory");
	}
	r->alphabet = alphabet;
	r->collector = collector;
	r->details = details;
	code = kt_letters_new(&r->letters);
	if (code) {
		free(r);
		return code;
	}
	if (alphabet->commands != KT_COMMANDS_NONE) {
		spell_commands(r);
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
	for (size_t i = 0; i < reader->size; i++) {
		if (reader->table[i]) {
			kt_event_class_release(reader->table[i]);
			free(reader->table[i]);
		}
	}
	kt_known_traces_free(&reader->traces);
	kt_letter_calls_free(&reader->calls);
	kt_letters_free(reader->letters);
	kt_command_letters_free(&reader->commands);
	kt_command_events_free(&reader->events);
	free(reader->table);
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

/* --- classes --- */

static size_t find_place(struct kt_event_class *const *table, size_t size,
			 const void *class_)
{
	/* The high bits are the mixed ones; addresses of one kind differ in few. */
	size_t i = (size_t)((uintptr_t)class_ * UINT64_C(0x9e3779b97f4a7c15) >> 40) &
		   (size - 1);

	while (table[i] && table[i]->class_ != class_) {
		i = (i + 1) & (size - 1);
	}
	return i;
}

static int grow_table(kt_event_reader *r)
{
	size_t size = r->size ? 2 * r->size : 64;
	struct kt_event_class **table;

	if (2 * (r->n + 1) <= r->size) {
		return KT_OK;
	}
	table = calloc(size, sizeof(struct kt_event_class *));
	if (!table) {
		return kt_error(KT_E_MEMORY, "read events: out of memory");
	}
	for (size_t i = 0; i < r->size; i++) {
		if (r->table[i]) {
			table[find_place(table, size, r->table[i]->class_)] = r->table[i];
		}
	}
	free(r->table);
	r->table = table;
	r->size = size;
	return KT_OK;
}

static int add_class(kt_event_reader *r, const bt_event_class *class_,
		     struct kt_event_class **out)
{
	struct kt_event_class *c = malloc(sizeof(*c));
	int code = c ? grow_table(r) : kt_error(KT_E_MEMORY, "read events: out of memory");

	code = code ? code : kt_event_class_bind(c, class_, r->alphabet);
	if (code) {
		free(c);
		return code;
	}
	r->table[find_place(r->table, r->size, class_)] = c;
	r->n++;
	*out = c;
	return KT_OK;
}

static int find_class(kt_event_reader *r, const bt_event_class *class_,
		      struct kt_event_class **out)
{
	if (r->size) {
		*out = r->table[find_place(r->table, r->size, class_)];
		if (*out) {
			return KT_OK;
		}
	}
	return add_class(r, class_, out);
}

/* Fills in where an event comes from, but for its pid. */
static int find_trace(kt_event_reader *r, struct kt_event_class *c, const bt_event *event,
		      struct kt_origin *origin)
{
	const struct kt_known_trace *trace;
	int code = kt_known_traces_find(
		&r->traces, &trace, &c->trace,
		bt_stream_borrow_trace_const(bt_event_borrow_stream_const(event)));

	if (!code) {
		origin->trace = trace->number;
		origin->host = trace->host;
	}
	return code;
}

/* --- one event --- */

static int keep_command(kt_event_reader *r, const struct kt_event_class *c,
			const bt_field *payload, const struct kt_value *values,
			struct kt_record *record)
{
	const bt_field *words = NULL;
	uint32_t number = 0;
	int code;

	if (c->words.index != KT_NO_FIELD) {
		words = bt_field_structure_borrow_member_field_by_index_const(
			payload, c->words.index);
	}
	code = kt_command_events_add(&r->events, c->rules, values, words, &number);
	record->detail = number;
	return code;
}

static int get_letter(kt_event_reader *r, const struct kt_event_class *c,
		      const bt_field *payload, struct kt_record *record)
{
	struct kt_value values[KT_ALPHABET_MAX_FIELDS];
	enum kt_run run;
	uint32_t letter;
	int code;

	record->letter = KT_NO_LETTER;
	if (!c->rules) {
		return KT_OK;
	}
	for (size_t i = 0; i < c->rules->n_fields; i++) {
		kt_member_get(&c->slots[i], payload, &values[i]);
	}
	if (r->alphabet->commands != KT_COMMANDS_NONE) {
		return keep_command(r, c, payload, values, record);
	}
	code = kt_letters_eval(r->letters, c->rules, values, &letter, &run);
	if (code) {
		return code;
	}
	record->letter = letter & KT_NO_LETTER;
	if (run != KT_RUN_NONE) {
		record->run = run;
		record->mapping = (uint32_t)values[c->rules->mapping].number;
	}
	return KT_OK;
}

static void print_field(FILE *out, const char *name, const bt_field_class *class_,
			const struct kt_value *v)
{
	fprintf(out, "%s%s=", ftell(out) ? " " : "", name);
	if (v->kind == KT_VALUE_STRING) {
		fputs(v->text, out);
	} else if (v->kind == KT_VALUE_SIGNED) {
		fprintf(out, "%" PRId64, (int64_t)v->number);
	} else if (bt_field_class_get_type(class_) != BT_FIELD_CLASS_TYPE_BOOL &&
		   bt_field_class_integer_get_preferred_display_base(class_) ==
			   BT_FIELD_CLASS_INTEGER_PREFERRED_DISPLAY_BASE_HEXADECIMAL) {
		fprintf(out, "0x%" PRIx64, v->number);
	} else {
		fprintf(out, "%" PRIu64, v->number);
	}
}

/* All fields but those that every event has. */
static void print_detail(FILE *out, const struct kt_event_class *c, const bt_field *payload)
{
	const bt_field_class *all =
		bt_event_class_borrow_payload_field_class_const(c->class_);
	uint64_t n = bt_field_class_structure_get_member_count(all);

	for (uint64_t i = 0; i < n; i++) {
		const bt_field_class_structure_member *member =
			bt_field_class_structure_borrow_member_by_index_const(all, i);
		const char *name = bt_field_class_structure_member_get_name(member);
		struct kt_member m;
		struct kt_value v = {.text = NULL};

		if (i == c->pid.index || i == c->tid.index || i == c->seq.index ||
		    !kt_member_of(&m, all, name)) {
			continue;
		}
		kt_member_get(&m, payload, &v);
		print_field(
			out, name,
			bt_field_class_structure_member_borrow_field_class_const(member),
			&v);
	}
}

static int keep_detail(kt_event_reader *r, const struct kt_event_class *c,
		       const bt_field *payload, uint32_t *detail)
{
	char *text = NULL;
	size_t length = 0;
	FILE *out = open_memstream(&text, &length);
	int code;

	if (!out) {
		return kt_error_errno(KT_E_MEMORY, "keep detail of an event");
	}
	print_detail(out, c, payload);
	if (fclose(out) != 0) {
		free(text);
		return kt_error_errno(KT_E_MEMORY, "keep detail of an event");
	}
	code = keep_text(r, text, length, detail);
	free(text);
	return code;
}

static int keep_call(kt_event_reader *r, const struct kt_event_class *c,
		     const bt_field *payload, struct kt_record *record)
{
	struct kt_value name = {.text = NULL};

	kt_member_get(&c->name, payload, &name);
	return kt_letter_calls_add(&r->calls, c->enter,
				   kt_member_number(&c->correlation, payload), name.text,
				   record);
}

/* Gives the process of the event just added a name, as good as this event knows it. */
static int name_process(kt_event_reader *r, const struct kt_event_class *c,
			const bt_event *event, const bt_field *payload)
{
	struct kt_value v = {.text = NULL};

	if (c->vpid.index != KT_NO_FIELD) {
		kt_collector_set_vpid(r->collector,
				      (uint32_t)kt_member_number(&c->vpid, payload));
	}
	if (c->event == KT_EVENT_BEGIN && c->name.index != KT_NO_FIELD) {
		kt_member_get(&c->name, payload, &v);
		return kt_collector_name(r->collector, v.text, true);
	}
	if (c->procname.index == KT_NO_FIELD || !kt_collector_wants_name(r->collector)) {
		return KT_OK;
	}
	kt_member_get(&c->procname, bt_event_borrow_common_context_field_const(event), &v);
	return kt_collector_name(r->collector, v.text, false);
}

static int read_ours(kt_event_reader *r, struct kt_event_class *c,
		     const bt_message *message, const bt_event *event)
{
	const bt_field *payload = bt_event_borrow_payload_field_const(event);
	struct kt_record record = {.kind = c->event};
	uint32_t detail = 0;
	struct kt_origin origin = {.kernel = c->provider == KT_PROVIDER_KERNEL,
				   .no_seq = c->seq.index == KT_NO_FIELD};
	int code;

	record.time = kt_event_time(c->has_clock, message);
	code = get_letter(r, c, payload, &record);
	if (code) {
		char when[KT_TIME_TEXT];

		kt_time_text(when, record.time);
		return kt_error_prepend(code, "at %s", when);
	}
	code = find_trace(r, c, event, &origin);
	if (code) {
		return code;
	}
	origin.pid = (uint32_t)kt_member_number(&c->pid, payload);
	record.tid = (uint32_t)kt_member_number(&c->tid, payload);
	record.seq = kt_member_number(&c->seq, payload);
	if (kt_collector_totals(r->collector)->events == 0) {
		r->first_time = record.time;
	}
	r->time = record.time;
	if (r->details && record.letter != KT_NO_LETTER) {
		code = keep_detail(r, c, payload, &detail);
		record.detail = detail;
	}
	if (!code && c->call && r->follows) {
		code = keep_call(r, c, payload, &record);
	}
	code = code ? code : kt_collector_add(r->collector, &origin, &record);
	if (!code && c->acts) {
		kt_collector_saw_driver(r->collector);
	}
	return code ? code : name_process(r, c, event, payload);
}

/* A name without a pid is of use only in traces that have one process each. */
static int read_procname(kt_event_reader *r, struct kt_event_class *c,
			 const bt_event *event)
{
	const bt_trace *trace =
		bt_stream_borrow_trace_const(bt_event_borrow_stream_const(event));
	const bt_value *env =
		bt_trace_borrow_environment_entry_value_by_name_const(trace, "vpid");
	struct kt_value v = {.text = NULL};
	struct kt_origin origin = {.kernel = false};
	int code;

	if (c->procname.index == KT_NO_FIELD) {
		return KT_OK;
	}
	if (c->vpid.index != KT_NO_FIELD) {
		origin.pid = (uint32_t)kt_member_number(
			&c->vpid, bt_event_borrow_common_context_field_const(event));
	} else if (env && bt_value_is_signed_integer(env)) {
		origin.pid = (uint32_t)bt_value_integer_signed_get(env);
	} else {
		return KT_OK;
	}
	kt_member_get(&c->procname, bt_event_borrow_payload_field_const(event), &v);
	code = find_trace(r, c, event, &origin);
	return code ? code : kt_collector_name_pid(r->collector, &origin, v.text);
}

int kt_event_reader_take(void *taker, const bt_message *message)
{
	kt_event_reader *reader = taker;
	const bt_event *event = bt_message_event_borrow_event_const(message);
	struct kt_event_class *c;
	int code = find_class(reader, bt_event_borrow_class_const(event), &c);

	if (code) {
		return code;
	}
	switch (c->provider) {
	case KT_PROVIDER_USER:
	case KT_PROVIDER_KERNEL: return read_ours(reader, c, message, event);
	case KT_PROVIDER_PROCNAME: return read_procname(reader, c, event);
	case KT_PROVIDER_FOREIGN: break;
	}
	return KT_OK;
}
