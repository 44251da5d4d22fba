/* SPDX-License-Identifier: MIT */
#include "infer/words/read/event-fields.h"

#include <stdlib.h>
#include <string.h>

#include <ktail/status.h>

#include "base/array.h"

/* --- binding --- */

/* A field that there is not, or of a kind that cannot be read, has no index. */
static void bind_field(struct kt_event_field *out, const bt_field_class *payload,
		       const char *name)
{
	bool readable = kt_member_of(&out->member, payload, name);

	out->numbers = !readable && out->member.index != KT_NO_FIELD &&
		       kt_is_numbers(payload, out->member.index);
	out->words = out->numbers && kt_is_words(payload, out->member.index);
	if (!readable && !out->numbers) {
		out->member.index = KT_NO_FIELD;
	}
}

static void bind_kind(struct kt_member *out, const bt_field_class *structure,
		      const char *name, bool text)
{
	if (!kt_member_of(out, structure, name) || (out->kind == KT_VALUE_STRING) != text) {
		out->index = KT_NO_FIELD;
	}
}

static int bind_ours(struct kt_event_layout *out, const bt_stream_class *stream,
		     const struct kt_events_options *options)
{
	const bt_field_class *payload =
		bt_event_class_borrow_payload_field_class_const(out->class_);

	bind_kind(&out->pid, payload, "pid", false);
	bind_kind(&out->tid, payload, "tid", false);
	bind_kind(&out->seq, payload, "seq", false);
	bind_kind(&out->process_name, payload, "name", true);
	bind_kind(&out->procname,
		  bt_stream_class_borrow_event_common_context_field_class_const(stream),
		  "procname", true);
	if (out->pid.index == KT_NO_FIELD) {
		return kt_error(KT_E_MALFORMED, "read event %s: it has no field pid",
				out->name);
	}
	out->event = strcmp(out->name, "process_begin") == 0 ? KT_EVENT_BEGIN
		     : strcmp(out->name, "process_end") == 0 ? KT_EVENT_END
							     : KT_EVENT_OTHER;
	out->acts = kt_is_of_driver(out->name);
	out->vpid.index = KT_NO_FIELD;
	if (out->event == KT_EVENT_BEGIN && out->provider == KT_PROVIDER_KERNEL) {
		bind_kind(&out->vpid, payload, "vpid", false);
	}
	out->fields = calloc(options->n_slots + 1, sizeof(*out->fields));
	if (!out->fields) {
		return kt_error(KT_E_MEMORY, "read events: out of memory");
	}
	for (size_t i = 0; i < options->n_slots; i++) {
		out->fields[i].member.index = KT_NO_FIELD;
		if (strcmp(options->slots[i].event, out->name) == 0) {
			bind_field(&out->fields[i], payload, options->slots[i].field);
		}
	}
	return KT_OK;
}

int kt_event_layout_bind(struct kt_event_layout *out, const bt_event_class *class_,
			 const struct kt_events_options *options)
{
	const bt_stream_class *stream = bt_event_class_borrow_stream_class_const(class_);
	int code = KT_OK;

	memset(out, 0, sizeof(*out));
	bt_event_class_get_ref(class_);
	out->class_ = class_;
	out->provider = kt_provider_of(bt_event_class_get_name(class_), &out->name);
	out->has_clock = bt_stream_class_borrow_default_clock_class_const(stream) != NULL;
	if (out->provider == KT_PROVIDER_USER || out->provider == KT_PROVIDER_KERNEL) {
		code = bind_ours(out, stream, options);
	}
	if (code) {
		kt_event_layout_release(out);
	}
	return code;
}

void kt_event_layout_release(struct kt_event_layout *layout)
{
	bt_event_class_put_ref(layout->class_);
	free(layout->fields);
}

/* --- reading --- */

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

static bool read_numbers(const struct kt_event *event, const struct kt_event_field *field,
			 uint64_t *out, size_t room, size_t *n)
{
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

/* --- by slot --- */

static const struct kt_event_field *field_of(const struct kt_event *event, size_t slot)
{
	static const struct kt_event_field none = {.member = {.index = KT_NO_FIELD}};

	return slot < event->source->n_slots ? &event->source->layout->fields[slot] : &none;
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
	return read_numbers(event, field_of(event, slot), out, room, n);
}

/* --- by name --- */

static struct kt_event_field field_named(const struct kt_event *event, const char *name)
{
	struct kt_event_field field;

	bind_field(&field,
		   bt_event_class_borrow_payload_field_class_const(
			   event->source->layout->class_),
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
