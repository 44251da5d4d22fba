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
#include "infer/words/commands/role-letters.h"
#include "infer/words/read/event-class.h"
#include "infer/words/read/kept-events.h"
#include "infer/words/read/time-text.h"
#include "infer/words/split/trace-filter.h"

/* A marked API call that has not returned. */
struct open_call {
	const struct kt_instance *instance; /* Weak */
	uint32_t tid;
	uint64_t correlation;
};

struct kt_event_reader {
	const kt_alphabet *alphabet;     /* Weak */
	kt_collector *collector;         /* Weak */
	kt_letters *letters;             /* Owned by this */
	struct kt_command_events events; /* used with a command alphabet */
	struct kt_command_letters commands;
	int64_t first_time;
	int64_t time;
	struct kt_given_up_list given_up;
	struct kt_event_classes classes;
	struct kt_versions versions; /* from events `version` */
	/* from events `process_begin` and the environment of their traces */
	struct kt_versions begun_with;
	/*
	 * likewise, but from the source whose events are left out for processes that both
	 * sources recorded; used if some process was recorded by this source alone
	 */
	struct kt_versions begun_aside;
	const struct kt_trace_filter *wanted; /* Weak; NULL: no calls are marked */
	uint64_t calls;                       /* number of API calls so far */
	struct open_call *open;               /* Owned by this */
	size_t n_open;
	size_t open_capacity;
	bool keeps; /* events are kept in `kept` */
	struct kt_kept_events kept;
};

int kt_event_reader_new(kt_event_reader **out, const kt_alphabet *alphabet,
			kt_collector *collector)
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
	code = kt_letters_new(&r->letters);
	if (code) {
		free(r);
		return code;
	}
	if (!kt_letter_filter_is_empty(&alphabet->filter)) {
		kt_collector_set_filter(collector, &alphabet->filter, r->letters);
	}
	/*
	 * With a command alphabet, this encoder makes the letters. The collector calls it
	 * once the events of a process are in order.
	 */
	if (alphabet->commands != KT_COMMANDS_NONE) {
		r->commands = (struct kt_command_letters){.alphabet = alphabet->commands,
							  .letters = r->letters,
							  .of = &r->events};
		if (kt_collector_listens(collector)) {
			r->events.streams = true;
			r->commands.forget = &r->events;
		}
		kt_collector_set_encoding(collector,
					  alphabet->commands == KT_COMMANDS_ROLES
						  ? &kt_role_encoding
						  : &kt_command_encoding,
					  &r->commands);
	}
	*out = r;
	return KT_OK;
}

void kt_event_reader_keep(kt_event_reader *reader, const struct kt_events_options *shapes)
{
	reader->keeps = true;
	reader->classes.shapes = shapes->shapes;
	reader->classes.n_shapes = shapes->n_shapes;
}

void kt_event_reader_mark(kt_event_reader *reader, const struct kt_trace_filter *filter)
{
	reader->wanted = kt_trace_filter_by_calls(filter) ? filter : NULL;
}

const struct kt_kept_events *kt_event_reader_kept(const kt_event_reader *reader)
{
	return &reader->kept;
}

void kt_event_reader_free(kt_event_reader *reader)
{
	if (!reader) {
		return;
	}
	kt_event_classes_clear(&reader->classes);
	kt_versions_clear(&reader->versions);
	kt_versions_clear(&reader->begun_with);
	kt_versions_clear(&reader->begun_aside);
	kt_kept_events_free(&reader->kept);
	kt_letters_free(reader->letters);
	free(reader->open);
	kt_command_letters_free(&reader->commands);
	kt_command_events_free(&reader->events);
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

bool kt_event_reader_without_roles(const kt_event_reader *reader)
{
	return reader->events.without_roles;
}

const kt_letters *kt_event_reader_letters(const kt_event_reader *reader)
{
	return reader->letters;
}

/* --- one event --- */

static int get_letter(kt_event_reader *r, const struct kt_event_class *c,
		      const struct kt_payload *payload, struct kt_record *record)
{
	struct kt_value values[KT_ALPHABET_MAX_FIELDS];
	enum kt_run run;
	uint32_t letter;

	record->letter = KT_NO_LETTER;
	if (!c->rules) {
		return KT_OK;
	}
	for (size_t i = 0; i < c->rules->n_fields; i++) {
		kt_payload_get(&c->slots[i], payload, &values[i]);
	}
	if (r->alphabet->commands != KT_COMMANDS_NONE) {
		struct kt_command_words words;

		words.sequence =
			kt_payload_sequence(&words.first, &words.n, &c->words, payload);
		KT_TRY(kt_command_events_add(&r->events, c->rules, values, &words,
					     r->alphabet->commands == KT_COMMANDS_ROLES,
					     &record->detail));
		if (c->rules->n_rules == 0) {
			return KT_OK;
		}
	}
	KT_TRY(kt_letters_eval(r->letters, c->rules, values, &letter, &run));
	record->letter = letter & KT_NO_LETTER;
	if (run != KT_RUN_NONE) {
		record->run = run;
		record->mapping = (uint32_t)values[c->rules->mapping].number;
	}
	return KT_OK;
}

/*
 * Returns the mark for the api_enter of the function `name`. With --phase, every call that
 * has a phase gets a mark, whether or not that phase is selected.
 */
static enum kt_event_kind mark_of(kt_event_reader *r, const char *name)
{
	const struct kt_api_function *function;

	if (r->wanted->call) {
		return kt_trace_filter_call(r->wanted, name, ++r->calls) ? KT_EVENT_ENTER
									 : KT_EVENT_OTHER;
	}
	function = kt_api_function_find(name);
	if (!function || function->phase == KT_API_PHASE_NONE) {
		return KT_EVENT_OTHER;
	}
	return kt_trace_filter_phase(r->wanted, function->phase) ? KT_EVENT_ENTER
								 : KT_EVENT_ENTER_OTHER;
}

/*
 * Closes the call r->open[outermost] and the calls inside it. Because of longjmp() or an
 * exception, the calls inside it have not returned. Returns the number of calls closed.
 */
static uint32_t close_calls(kt_event_reader *r, size_t outermost)
{
	const struct open_call call = r->open[outermost];
	uint32_t n_closed = 0;
	size_t n = outermost;

	for (size_t i = outermost; i < r->n_open; i++) {
		if (r->open[i].instance == call.instance && r->open[i].tid == call.tid) {
			n_closed++;
		} else {
			r->open[n++] = r->open[i];
		}
	}
	r->n_open = n;
	return n_closed;
}

/* Marks the record of an api_enter or api_exit if --call or --phase is about the call. */
static int mark_call(kt_event_reader *r, const struct kt_event_head *head,
		     const struct kt_instance *instance, struct kt_record *record)
{
	const struct kt_event_class *c = head->class_;
	struct kt_value name = {.text = NULL};
	const struct open_call call = {
		.instance = instance,
		.tid = head->tid,
		.correlation = kt_payload_number(&c->correlation, &head->payload)};

	kt_payload_get(&c->name, &head->payload, &name);
	if (c->enters) {
		const enum kt_event_kind mark = mark_of(r, name.text);

		if (mark == KT_EVENT_OTHER) {
			return KT_OK;
		}
		KT_TRY(kt_array_reserve(&r->open, &r->open_capacity, r->n_open + 1));
		r->open[r->n_open++] = call;
		record->kind = mark;
		return KT_OK;
	}
	for (size_t i = r->n_open; i > 0; i--) {
		if (r->open[i - 1].instance == instance &&
		    r->open[i - 1].correlation == call.correlation) {
			record->kind = KT_EVENT_RETURN;
			record->mapping = close_calls(r, i - 1);
			break;
		}
	}
	return KT_OK;
}

/*
 * Checks that the modes of a recording are those that the alphabet requires. A mode that is
 * not known is an error only at the end of the trace.
 */
static int check_required(const kt_event_reader *r, const struct kt_versions *versions,
			  bool at_end)
{
	for (size_t i = 0; i < r->alphabet->n_required; i++) {
		const struct kt_requirement *required = &r->alphabet->required[i];
		char value[64];
		char found[192];

		kt_versions_mode(value, sizeof(value), versions, required->mode);
		if (strcmp(value, required->value) == 0 || (!value[0] && !at_end)) {
			continue;
		}
		snprintf(found, sizeof(found),
			 !value[0] ? "this one does not say its %.64s"
			 : strcmp(value, "mixed") == 0
				 ? "parts of this one differ in --%.64s"
				 : "this one has --%.64s=%s",
			 required->mode, value);
		return kt_error(KT_E_USAGE,
				"the alphabet %s needs a trace recorded with --%s=%s; %s",
				r->alphabet->name, required->mode, required->value, found);
	}
	return KT_OK;
}

/* Stores what an event `version` says about the recording. */
static int note_version(kt_event_reader *r, const struct kt_event_head *head)
{
	const struct kt_event_class *c = head->class_;
	struct kt_value texts[KT_VERSION_FIELDS] = {{.text = NULL}};

	for (size_t i = 0; i < KT_VERSION_FIELDS; i++) {
		kt_payload_get(&c->versions[i], &head->payload, &texts[i]);
	}
	return kt_versions_add(&r->versions, texts[0].text, texts[1].text, texts[2].text,
			       texts[3].text);
}

/* Returns a text in the environment of a trace; NULL if there is none of this name. */
static const char *find_text(const bt_trace *trace, const char *name)
{
	const bt_value *value =
		bt_trace_borrow_environment_entry_value_by_name_const(trace, name);

	return value && bt_value_is_string(value) ? bt_value_string_get(value) : NULL;
}

/* Returns a number in the environment of a trace; 0 if there is none of this name. */
static int64_t find_number(const bt_trace *trace, const char *name)
{
	const bt_value *value =
		bt_trace_borrow_environment_entry_value_by_name_const(trace, name);

	return value && bt_value_is_signed_integer(value)
		       ? bt_value_integer_signed_get(value)
		       : 0;
}

/*
 * Stores what LTTng-modules writes to the environment of a trace: the kernel's release, and
 * its own version (lttng-events.c, _lttng_session_metadata_statedump()).
 */
static int note_environment(struct kt_versions *versions, const bt_trace *trace)
{
	const char *release = find_text(trace, "kernel_release");
	const char *tracer = find_text(trace, "tracer_name");
	char version[64];

	if (release) {
		KT_TRY(kt_versions_add(versions, "kernel", release, NULL, NULL));
	}
	if (!tracer || strcmp(tracer, "lttng-modules") != 0) {
		return KT_OK;
	}
	snprintf(version, sizeof(version), "%" PRId64 ".%" PRId64 ".%" PRId64,
		 find_number(trace, "tracer_major"), find_number(trace, "tracer_minor"),
		 find_number(trace, "tracer_patchlevel"));
	return kt_versions_add(versions, tracer, version, NULL, NULL);
}

/*
 * Stores what a process_begin and its trace's environment say about the recording, which is
 * less than `version` says.
 */
static int note_begin(kt_event_reader *r, const struct kt_event_head *head)
{
	const struct kt_event_class *c = head->class_;
	struct kt_versions *begun =
		kt_collector_leaves_out(r->collector, &head->origin) ? &r->begun_aside
								     : &r->begun_with;
	struct kt_value texts[KT_BEGIN_FIELDS];
	char modes[256] = "";
	size_t n = 0;

	for (size_t i = 0; i < KT_BEGIN_FIELDS; i++) {
		texts[i].text = "";
		if (c->begin[i].index != KT_NO_FIELD) {
			kt_payload_get(&c->begin[i], &head->payload, &texts[i]);
		}
	}
	for (size_t i = 2; i < KT_BEGIN_FIELDS; i++) {
		static const char *const keys[KT_BEGIN_FIELDS] = {
			[2] = "access", [3] = "doorbell", [4] = "api"};

		if (texts[i].text[0]) {
			n += (size_t)snprintf(modes + n, sizeof(modes) - n, "%s%s=%.40s",
					      n > 0 ? " " : "", keys[i], texts[i].text);
		}
	}
	KT_TRY(kt_versions_add(begun, "recorder", texts[1].text, NULL, modes));
	if (begun == &r->begun_with) {
		KT_TRY(check_required(r, begun, false));
	}
	KT_TRY(note_environment(
		begun,
		bt_stream_borrow_trace_const(bt_event_borrow_stream_const(head->event))));
	return texts[0].text[0]
		       ? kt_versions_add(begun, "module", texts[0].text, NULL, NULL)
		       : KT_OK;
}

/* Adds the rows of `more` whose parts have no row in the list yet. */
static int add_missing(struct kt_versions *versions, const struct kt_versions *more)
{
	const char *missing = "";

	/* Rows of one part follow one another. */
	for (size_t i = 0; i < more->n; i++) {
		const struct kt_version *row = &more->rows[i];

		if (strcmp(row->what, missing) == 0 ||
		    !kt_versions_find(versions, row->what)) {
			missing = row->what;
			KT_TRY(kt_versions_add(versions, row->what, row->version, row->id,
					       row->detail));
		}
	}
	return KT_OK;
}

int kt_event_reader_versions(const struct kt_versions **out, kt_event_reader *reader)
{
	*out = &reader->versions;
	KT_TRY(add_missing(&reader->versions, &reader->begun_with));
	KT_TRY(add_missing(&reader->versions, &reader->begun_aside));
	if (kt_collector_totals(reader->collector)->events == 0) {
		return KT_OK;
	}
	if (kt_collector_keeps_others(reader->collector)) {
		KT_TRY(check_required(reader, &reader->begun_aside, true));
	}
	return check_required(reader, &reader->versions, true);
}

/* Returns whether letters depend on accesses to a mapping; 0: to any of the process. */
static bool needs_accesses(const kt_event_reader *r, const struct kt_instance *instance,
			   uint32_t mapping)
{
	const char *space = kt_instance_space(instance, mapping);
	bool needs =
		kt_alphabet_needs(r->alphabet, KT_DETAIL_ACCESSES, space[0] ? space : NULL);

	for (size_t i = 0; mapping == 0 && i < instance->n_spaces && !needs; i++) {
		needs = kt_alphabet_needs(r->alphabet, KT_DETAIL_ACCESSES,
					  instance->spaces[i]);
	}
	return needs;
}

/* Returns what an event `detail` does to words. */
static enum kt_event_kind note_detail(kt_event_reader *r, const struct kt_event_head *head,
				      struct kt_instance *instance)
{
	const uint32_t mapping =
		(uint32_t)kt_payload_number(&head->class_->mapping, &head->payload);
	struct kt_value what = {.text = ""};
	const bool off = kt_event_gives_up(head);
	bool needs = false;

	kt_payload_get(&head->class_->detail, &head->payload, &what);
	if (off) {
		kt_given_up_add(&r->given_up, head, instance);
	}
	if (strcmp(what.text, "submissions") == 0) {
		needs = kt_alphabet_needs(r->alphabet, KT_DETAIL_COMMANDS, NULL);
	} else if (strcmp(what.text, "access") == 0 && off) {
		needs = needs_accesses(r, instance, mapping);
		instance->without_accesses |= mapping == 0;
	} else if (strcmp(what.text, "access") == 0) {
		needs = kt_alphabet_needs(r->alphabet, KT_DETAIL_SINGLE, NULL);
	}
	return !needs ? KT_EVENT_OTHER : off ? KT_EVENT_GIVEN_UP : KT_EVENT_CUT;
}

const struct kt_given_up_list *kt_event_reader_given_up(const kt_event_reader *r)
{
	return &r->given_up;
}

/* Makes the record of an event with its letter. */
static int make_record(kt_event_reader *r, const struct kt_event_head *head,
		       struct kt_record *out)
{
	const struct kt_event_class *c = head->class_;
	int code;

	*out = (struct kt_record){
		.seq = head->seq, .time = head->time, .tid = head->tid, .kind = c->event};
	if (!c->has_clock && kt_collector_reads_both(r->collector)) {
		return kt_error(
			KT_E_USAGE,
			"--source both: events of both sources are ordered by time, and "
			"%s has none",
			c->event_name);
	}
	code = get_letter(r, c, &head->payload, out);
	if (code) {
		char when[KT_TIME_TEXT];

		kt_time_text(when, out->time);
		return kt_error_prepend(code, "at %s", when);
	}
	return KT_OK;
}

static int read_irq(kt_event_reader *r, const struct kt_event_head *head)
{
	struct kt_record record;

	KT_TRY(make_record(r, head, &record));
	return kt_collector_add_irq(
		r->collector, &head->origin,
		(uint32_t)kt_payload_number(&head->class_->line, &head->payload), &record);
}

/* Says in the versions that words end there: machines are compared by these. */
static int note_given_up(kt_event_reader *r, const struct kt_event_head *head)
{
	struct kt_value what = {.text = "access"};

	if (head->class_->detail.index != KT_NO_FIELD) {
		kt_payload_get(&head->class_->detail, &head->payload, &what);
	}
	return kt_versions_add(&r->versions, KT_VERSIONS_GIVEN_UP,
			       strcmp(what.text, "access") == 0 ? "accesses" : "commands",
			       NULL, NULL);
}

static int read_ours(kt_event_reader *r, const struct kt_event_head *head)
{
	const struct kt_event_class *c = head->class_;
	struct kt_record record;
	struct kt_arrival arrival;

	KT_TRY(make_record(r, head, &record));
	if (kt_collector_totals(r->collector)->events == 0) {
		r->first_time = record.time;
	}
	r->time = record.time;
	if (c->is_version || c->is_begin) {
		KT_TRY(c->is_version ? note_version(r, head) : note_begin(r, head));
	}
	KT_TRY(kt_collector_arrive(r->collector, &head->origin, &record, &arrival));
	KT_TRY(kt_event_note_instance(head, arrival.instance));
	if (c->detail.index != KT_NO_FIELD) {
		record.kind = note_detail(r, head, arrival.instance);
	} else if (c->space.index != KT_NO_FIELD && arrival.instance->without_accesses &&
		   needs_accesses(
			   r, arrival.instance,
			   (uint32_t)kt_payload_number(&c->mapping, &head->payload))) {
		record.kind = KT_EVENT_GIVEN_UP;
	}
	if (record.kind == KT_EVENT_GIVEN_UP) {
		KT_TRY(note_given_up(r, head));
	}
	if (r->wanted && c->call) {
		KT_TRY(mark_call(r, head, arrival.instance, &record));
	}
	KT_TRY(kt_collector_put(r->collector, &arrival, &record));
	return r->keeps ? kt_kept_events_add(&r->kept, head, arrival.instance) : KT_OK;
}

int kt_event_reader_take(void *taker, const bt_message *message)
{
	kt_event_reader *r = taker;
	struct kt_value name = {.text = NULL};
	const struct kt_event_class *c;
	struct kt_event_parts parts;
	struct kt_event_head head;
	const bt_value *env;

	KT_TRY(kt_event_head_read(&head, &r->classes, message));
	c = head.class_;
	if (c->provider == KT_PROVIDER_IRQ) {
		return kt_collector_reads_both(r->collector) ? read_irq(r, &head) : KT_OK;
	}
	if (kt_event_is_ours(&head)) {
		kt_event_parts_begin(&parts, &head);
		while (kt_event_parts_next(&parts, &head)) {
			KT_TRY(read_ours(r, &head));
		}
		return KT_OK;
	}
	if (c->provider != KT_PROVIDER_PROCNAME || c->procname.index == KT_NO_FIELD) {
		return KT_OK;
	}
	KT_TRY(kt_event_origin(&head.origin, &r->classes, &head));
	/*
	 * The pid is the vpid in the event's context. If there is none, the pid is the vpid
	 * in the environment of the trace, which only a trace of a single process has.
	 */
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
