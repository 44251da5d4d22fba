/* SPDX-License-Identifier: MIT */
/*
 * The fields of an event's shape: read from its message, copied so that they can be kept,
 * read from the copy. Not for users of events.h.
 */
#ifndef KTAIL_WORDS_READ_FIELDS_H
#define KTAIL_WORDS_READ_FIELDS_H

#include <stddef.h>
#include <stdint.h>

#include <babeltrace2/babeltrace.h>

#include "infer/words/read/event-class.h"

/* Where the words of the event in hand are. All zero: none were read. */
struct kt_fields_buffer {
	uint32_t *words; /* Owned by this */
	size_t capacity;
};

/*
 * Reads the fields of an event of that class into the struct of its shape, whose other
 * members stay as they are; words are valid until the next ones are read.
 */
void kt_fields_read(struct kt_fields_buffer *buffer, const struct kt_event_class *class_,
		    const bt_field *payload, void *out);

/* The bytes that a copy of such a struct takes, its texts and words included. */
size_t kt_fields_size(const struct kt_event_class *class_, const void *fields);

/* Copies it to `to`, which has that many bytes and is aligned as for malloc(). */
void kt_fields_copy(const struct kt_event_class *class_, void *to, const void *fields);

/* As kt_fields_read(), from a copy: texts and words are valid as long as that. */
void kt_fields_read_copy(const struct kt_event_class *class_, const void *copy, void *out);

#endif
