/* SPDX-License-Identifier: MIT */
#include "infer/words/read/event-fields.h"

#include <stdlib.h>
#include <string.h>

#include <ktail/status.h>

#include "base/array.h"
#include "base/try.h"

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

int kt_event_layout_bind(struct kt_event_layout *out, const bt_event_class *class_,
			 const struct kt_events_options *options)
{
	const bt_field_class *payload =
		bt_event_class_borrow_payload_field_class_const(class_);

	out->fields = NULL;
	KT_TRY(kt_event_class_bind(&out->of, class_, NULL));
	if (out->of.provider != KT_PROVIDER_USER &&
	    out->of.provider != KT_PROVIDER_KERNEL) {
		return KT_OK;
	}
	out->fields = calloc(options->n_slots + 1, sizeof(*out->fields));
	if (!out->fields) {
		kt_event_layout_release(out);
		return kt_no_memory("read events");
	}
	for (size_t i = 0; i < options->n_slots; i++) {
		out->fields[i].member.index = KT_NO_FIELD;
		if (strcmp(options->slots[i].event, out->of.event_name) == 0) {
			bind_field(&out->fields[i], payload, options->slots[i].field);
		}
	}
	return KT_OK;
}

void kt_event_layout_release(struct kt_event_layout *layout)
{
	kt_event_class_release(&layout->of);
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

	bind_field(&field,
		   bt_event_class_borrow_payload_field_class_const(
			   event->source->layout->of.class_),
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
