/* SPDX-License-Identifier: MIT */
/*
 * Reads the fields of an event's shape from a message, copies them, and reads them from a
 * copy. Internal: users include events.h.
 */
#ifndef KTAIL_WORDS_READ_FIELDS_H
#define KTAIL_WORDS_READ_FIELDS_H

#include <stddef.h>
#include <stdint.h>

#include <babeltrace2/babeltrace.h>

#include "infer/words/read/event-class.h"

/* Buffer for the dwords of the current event. Empty if all members are zero. */
struct kt_fields_buffer {
	uint32_t *words; /* Owned by this */
	size_t capacity;
};

/*
 * Reads the fields of an event of the class `class_` into `out`, the struct of the shape,
 * and leaves the other members of the struct unchanged. The dwords in `out` are valid until
 * the next call with this buffer.
 */
void kt_fields_read(struct kt_fields_buffer *buffer, const struct kt_event_class *class_,
		    const struct kt_payload *payload, void *out);

/*
 * Returns the size in bytes of a copy of `fields`, a struct that kt_fields_read() has
 * filled, with its texts and dwords.
 */
size_t kt_fields_size(const struct kt_event_class *class_, const void *fields);

/*
 * Copies the struct `fields`, with its texts and dwords, to `to`, which must have
 * kt_fields_size() bytes and be aligned to 8 bytes.
 */
void kt_fields_copy(const struct kt_event_class *class_, void *to, const void *fields);

/* Like kt_fields_read(), but reads from a copy, into which texts and dwords then point. */
void kt_fields_read_copy(const struct kt_event_class *class_, const void *copy, void *out);

#endif
