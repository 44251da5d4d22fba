/* SPDX-License-Identifier: MIT */
#include "infer/words/read/event-class.h"

#include <string.h>

#include <ktail/status.h>

#include "base/try.h"

#define USER_PREFIX   "gpu_stack:"
#define KERNEL_PREFIX "gpu_stack_"

enum kt_provider kt_provider_of(const char *name, const char **event)
{
	size_t length = sizeof(USER_PREFIX) - 1;

	*event = NULL;
	if (!name) {
		return KT_PROVIDER_FOREIGN;
	}
	if (strncmp(name, USER_PREFIX, length) == 0) {
		*event = name + length;
		return KT_PROVIDER_USER;
	}
	if (strcmp(name, KERNEL_PREFIX "irq") == 0) {
		return KT_PROVIDER_FOREIGN; /* of no process */
	}
	if (strncmp(name, KERNEL_PREFIX, length) == 0) {
		*event = name + length;
		return KT_PROVIDER_KERNEL;
	}
	return strcmp(name, "lttng_ust_statedump:procname") == 0 ? KT_PROVIDER_PROCNAME
								 : KT_PROVIDER_FOREIGN;
}

bool kt_is_of_driver(const char *event)
{
	return strncmp(event, "process_", 8) != 0 && strncmp(event, "api_", 4) != 0;
}

bool kt_member_of(struct kt_member *out, const bt_field_class *structure, const char *name)
{
	uint64_t n = structure ? bt_field_class_structure_get_member_count(structure) : 0;
	const bt_field_class *field = NULL;
	bt_field_class_type type;

	*out = (struct kt_member){.index = KT_NO_FIELD};
	for (uint64_t i = 0; i < n && !field; i++) {
		const bt_field_class_structure_member *member =
			bt_field_class_structure_borrow_member_by_index_const(structure, i);

		if (strcmp(bt_field_class_structure_member_get_name(member), name) == 0) {
			out->index = i;
			field = bt_field_class_structure_member_borrow_field_class_const(
				member);
		}
	}
	if (!field) {
		return false;
	}
	type = bt_field_class_get_type(field);
	if (bt_field_class_type_is(type, BT_FIELD_CLASS_TYPE_UNSIGNED_INTEGER)) {
		out->kind = KT_VALUE_UNSIGNED;
	} else if (bt_field_class_type_is(type, BT_FIELD_CLASS_TYPE_SIGNED_INTEGER)) {
		out->kind = KT_VALUE_SIGNED;
	} else if (type == BT_FIELD_CLASS_TYPE_STRING) {
		out->kind = KT_VALUE_STRING;
	} else if (type == BT_FIELD_CLASS_TYPE_BOOL) {
		out->kind = KT_VALUE_UNSIGNED;
		out->is_bool = true;
	} else {
		return false;
	}
	return true;
}

/* The elements' class of a sequence of unsigned numbers; NULL: it is none. */
static const bt_field_class *element_of(const bt_field_class *structure, uint64_t index)
{
	const bt_field_class *field =
		bt_field_class_structure_member_borrow_field_class_const(
			bt_field_class_structure_borrow_member_by_index_const(structure,
									      index));
	const bt_field_class *element;

	if (!bt_field_class_type_is(bt_field_class_get_type(field),
				    BT_FIELD_CLASS_TYPE_ARRAY)) {
		return NULL;
	}
	element = bt_field_class_array_borrow_element_field_class_const(field);
	return bt_field_class_type_is(bt_field_class_get_type(element),
				      BT_FIELD_CLASS_TYPE_UNSIGNED_INTEGER)
		       ? element
		       : NULL;
}

bool kt_is_numbers(const bt_field_class *structure, uint64_t index)
{
	return element_of(structure, index);
}

bool kt_is_words(const bt_field_class *structure, uint64_t index)
{
	const bt_field_class *element = element_of(structure, index);

	return element && bt_field_class_integer_get_field_value_range(element) <= 32;
}

static bool number_of(struct kt_member *out, const bt_field_class *structure,
		      const char *name)
{
	if (kt_member_of(out, structure, name) && out->kind != KT_VALUE_STRING) {
		return true;
	}
	out->index = KT_NO_FIELD;
	return false;
}

static bool string_of(struct kt_member *out, const bt_field_class *structure,
		      const char *name)
{
	if (kt_member_of(out, structure, name) && out->kind == KT_VALUE_STRING) {
		return true;
	}
	out->index = KT_NO_FIELD;
	return false;
}

/* The first rule that a field is needed for; 0: it is for runs. */
static size_t line_of_slot(const struct kt_event_rules *rules, size_t slot)
{
	for (size_t i = 0; i < rules->n_rules; i++) {
		const struct kt_rule *rule = &rules->rules[i];

		for (size_t j = 0; j < rule->n_conditions; j++) {
			if (rule->conditions[j].slot == slot) {
				return rule->line;
			}
		}
		for (size_t j = 0; j < rule->n_parts; j++) {
			if (!rule->parts[j].literal && rule->parts[j].slot == slot) {
				return rule->line;
			}
		}
	}
	return 0;
}

static int bind_ours(struct kt_event_class *c, const bt_field_class *payload,
		     const kt_alphabet *alphabet)
{
	const char *event = c->event_name;
	enum kt_value_kind kinds[KT_ALPHABET_MAX_FIELDS];

	if (!number_of(&c->pid, payload, "pid")) {
		return kt_error(KT_E_MALFORMED, "read event %s: it has no field pid",
				event);
	}
	number_of(&c->tid, payload, "tid");
	number_of(&c->seq, payload, "seq");
	string_of(&c->name, payload, "name");
	if (strcmp(event, "process_begin") == 0) {
		c->event = KT_EVENT_BEGIN;
	} else if (strcmp(event, "process_end") == 0) {
		c->event = KT_EVENT_END;
	}
	c->vpid.index = KT_NO_FIELD;
	if (c->event == KT_EVENT_BEGIN && c->provider == KT_PROVIDER_KERNEL) {
		number_of(&c->vpid, payload, "vpid");
	}
	number_of(&c->correlation, payload, "correlation");
	c->enter = strcmp(event, "api_enter") == 0;
	c->call = c->correlation.index != KT_NO_FIELD &&
		  c->correlation.kind == KT_VALUE_UNSIGNED &&
		  c->name.index != KT_NO_FIELD &&
		  (c->enter || strcmp(event, "api_exit") == 0);
	c->acts = kt_is_of_driver(event);
	kt_member_of(&c->words, payload, "words");
	if (c->words.index != KT_NO_FIELD && !kt_is_words(payload, c->words.index)) {
		c->words.index = KT_NO_FIELD;
	}
	c->rules = alphabet ? kt_alphabet_find(alphabet, event) : NULL;
	if (!c->rules) {
		return KT_OK;
	}
	for (size_t i = 0; i < c->rules->n_fields; i++) {
		if (!kt_member_of(&c->slots[i], payload, c->rules->fields[i])) {
			return kt_alphabet_error(
				alphabet, line_of_slot(c->rules, i),
				"event %s has no field %s that is a number or a string",
				c->rules->event, c->rules->fields[i]);
		}
		kinds[i] = c->slots[i].kind;
	}
	return kt_letters_check_kinds(alphabet, c->rules, kinds);
}

int kt_event_class_bind(struct kt_event_class *out, const bt_event_class *class_,
			const kt_alphabet *alphabet)
{
	const bt_stream_class *stream = bt_event_class_borrow_stream_class_const(class_);
	const bt_field_class *context =
		bt_stream_class_borrow_event_common_context_field_class_const(stream);
	const bt_field_class *payload =
		bt_event_class_borrow_payload_field_class_const(class_);

	memset(out, 0, sizeof(*out));
	out->provider = kt_provider_of(bt_event_class_get_name(class_), &out->event_name);
	out->has_clock = bt_stream_class_borrow_default_clock_class_const(stream) != NULL;
	if (out->provider == KT_PROVIDER_USER || out->provider == KT_PROVIDER_KERNEL) {
		KT_TRY(bind_ours(out, payload, alphabet));
		string_of(&out->procname, context, "procname");
	} else if (out->provider == KT_PROVIDER_PROCNAME) {
		string_of(&out->procname, payload, "procname");
		number_of(&out->vpid, context, "vpid");
	}
	bt_event_class_get_ref(class_);
	out->class_ = class_;
	return KT_OK;
}

int kt_event_class_origin(struct kt_event_class *c, struct kt_known_traces *traces,
			  const bt_event *event, struct kt_origin *out)
{
	const struct kt_known_trace *trace;

	KT_TRY(kt_known_traces_find(
		traces, &trace, &c->trace,
		bt_stream_borrow_trace_const(bt_event_borrow_stream_const(event))));
	*out = (struct kt_origin){.trace = trace->number,
				  .host = trace->host,
				  .kernel = c->provider == KT_PROVIDER_KERNEL,
				  .no_seq = c->seq.index == KT_NO_FIELD};
	return KT_OK;
}

void kt_event_class_release(struct kt_event_class *class_)
{
	bt_event_class_put_ref(class_->class_);
	class_->class_ = NULL;
}
