/* SPDX-License-Identifier: MIT */
/*
 * Fields of an event by their slots (infer/words/read/events.h); those that it lacks are 0
 * or
 * "".
 */
#ifndef KTAIL_ANNOTATE_SLOTS_H
#define KTAIL_ANNOTATE_SLOTS_H

#include <stddef.h>
#include <stdint.h>

#include "infer/words/read/events.h"

static inline uint64_t kt_slot_number(const struct kt_event *event, size_t slot)
{
	uint64_t value = 0;

	kt_event_unsigned(event, slot, &value);
	return value;
}

static inline uint32_t kt_slot_number32(const struct kt_event *event, size_t slot)
{
	return (uint32_t)kt_slot_number(event, slot);
}

static inline int64_t kt_slot_signed(const struct kt_event *event, size_t slot)
{
	int64_t value = 0;

	kt_event_signed(event, slot, &value);
	return value;
}

/* The event's own: valid as long as that. */
static inline const char *kt_slot_text(const struct kt_event *event, size_t slot)
{
	const char *value = "";

	kt_event_string(event, slot, &value);
	return value;
}

#endif
