/* SPDX-License-Identifier: MIT */
#include "infer/words/read/read-fields.h"

#include <string.h>

#include "base/array.h"

/* --- from a message --- */

static void read_words(struct kt_fields_buffer *buffer, const bt_field *array,
		       uint64_t first, size_t n, struct kt_event_words *out)
{
	/*
	 * Reserves at least one element, so that `items` of an empty sequence is not NULL:
	 * NULL means that the field is missing.
	 */
	if (kt_array_reserve(&buffer->words, &buffer->capacity, n + 1)) {
		return;
	}
	for (size_t i = 0; i < n; i++) {
		buffer->words[i] = (uint32_t)bt_field_integer_unsigned_get_value(
			bt_field_array_borrow_element_field_by_index_const(array,
									   first + i));
	}
	*out = (struct kt_event_words){buffer->words, n};
}

static void read_numbers(const bt_field *array, size_t n, struct kt_event_numbers *out)
{
	out->n = n < KT_EVENT_NUMBERS ? n : KT_EVENT_NUMBERS;
	for (size_t i = 0; i < out->n; i++) {
		out->items[i] = bt_field_integer_unsigned_get_value(
			bt_field_array_borrow_element_field_by_index_const(array, i));
	}
}

void kt_fields_read(struct kt_fields_buffer *buffer, const struct kt_event_class *class_,
		    const struct kt_payload *payload, void *out)
{
	for (size_t i = 0; i < class_->n_fields; i++) {
		const struct kt_bound_field *field = &class_->fields[i];
		const bool there = field->member.index != KT_NO_FIELD;
		void *at = (char *)out + field->offset;
		struct kt_value v = {.number = 0};
		const bt_field *array = NULL;
		uint64_t first = 0;
		uint64_t n = 0;

		if (there && field->type >= KT_FIELD_WORDS) {
			array = kt_payload_sequence(&first, &n, &field->member, payload);
		} else if (there) {
			kt_payload_get(&field->member, payload, &v);
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
				read_words(buffer, array, first, (size_t)n, at);
			}
			break;
		case KT_FIELD_NUMBERS:
			*(struct kt_event_numbers *)at = (struct kt_event_numbers){0};
			if (array) {
				read_numbers(array, (size_t)n, at);
			}
			break;
		}
	}
}

/* --- copies: a struct, then the dwords of its sequences, then its texts --- */

/*
 * Returns the size of the struct itself in a copy, padded so that the dwords are aligned.
 */
static size_t own_size(const struct kt_event_class *class_)
{
	return (class_->fields_size + 7) / 8 * 8;
}

size_t kt_fields_size(const struct kt_event_class *class_, const void *fields)
{
	size_t size = own_size(class_);

	for (size_t i = 0; i < class_->n_fields; i++) {
		const struct kt_bound_field *field = &class_->fields[i];
		const void *at = (const char *)fields + field->offset;

		if (field->type == KT_FIELD_TEXT) {
			size += strlen(*(const char *const *)at) + 1;
		} else if (field->type == KT_FIELD_WORDS) {
			size += ((const struct kt_event_words *)at)->n * sizeof(uint32_t);
		}
	}
	return size;
}

void kt_fields_copy(const struct kt_event_class *class_, void *to, const void *fields)
{
	char *end = (char *)to + own_size(class_);

	memcpy(to, fields, class_->fields_size);
	for (size_t i = 0; i < class_->n_fields; i++) {
		struct kt_event_words *words =
			(void *)((char *)to + class_->fields[i].offset);

		if (class_->fields[i].type == KT_FIELD_WORDS && words->items) {
			const size_t size = words->n * sizeof(*words->items);

			words->items = memcpy(end, words->items, size);
			end += size;
		}
	}
	for (size_t i = 0; i < class_->n_fields; i++) {
		const char **text = (void *)((char *)to + class_->fields[i].offset);

		if (class_->fields[i].type == KT_FIELD_TEXT) {
			const size_t size = strlen(*text) + 1;

			*text = memcpy(end, *text, size);
			end += size;
		}
	}
}

void kt_fields_read_copy(const struct kt_event_class *class_, const void *copy, void *out)
{
	for (size_t i = 0; i < class_->n_fields; i++) {
		const struct kt_bound_field *field = &class_->fields[i];

		memcpy((char *)out + field->offset, (const char *)copy + field->offset,
		       field->size);
	}
}
