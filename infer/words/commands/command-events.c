/* SPDX-License-Identifier: MIT */
#include "infer/words/commands/command-events.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ktail/status.h>

#include "base/array.h"
#include "base/try.h"

static bool is(const struct kt_value *value, const char *text)
{
	return value->kind == KT_VALUE_STRING && strcmp(value->text, text) == 0;
}

static uint32_t number(const struct kt_value *value)
{
	return value->kind == KT_VALUE_STRING ? 0 : (uint32_t)value->number;
}

static uint64_t wide(const struct kt_value *value)
{
	return value->kind == KT_VALUE_STRING ? 0 : value->number;
}

/*
 * Copies the dwords of a pushbuffer event into the pool or, when streaming, into memory
 * that the event owns.
 */
static int take_words(struct kt_command_events *events, struct kt_command_event *e,
		      const struct kt_value *v, const struct kt_command_words *words)
{
	size_t n = (size_t)words->n;
	uint32_t *to;

	if (events->streams) {
		to = e->words.own = malloc((n + 1) * sizeof(*to));
		if (!to) {
			return kt_no_memory("keep events");
		}
	} else {
		KT_TRY(kt_array_reserve(&events->words, &events->words_capacity,
					events->n_words + n));
		e->words.at = events->n_words;
		to = events->words + events->n_words;
		events->n_words += n;
	}
	e->client = number(&v[KT_WORDS_CLIENT]);
	e->object = number(&v[KT_WORDS_CHANNEL]);
	e->words.index = number(&v[KT_WORDS_INDEX]);
	e->words.offset = number(&v[KT_WORDS_OFFSET]);
	e->words.n = (uint32_t)n;
	for (size_t i = 0; i < n; i++) {
		to[i] = (uint32_t)bt_field_integer_unsigned_get_value(
			bt_field_array_borrow_element_field_by_index_const(
				words->sequence, words->first + i));
	}
	return KT_OK;
}

/* Copies a text, truncated to `size` bytes with its NUL. */
static void copy(char *out, size_t size, const struct kt_value *value)
{
	snprintf(out, size, "%s", value->kind == KT_VALUE_STRING ? value->text : "");
}

static int take_fields(struct kt_command_events *events, struct kt_command_event *e,
		       const struct kt_value *v, const struct kt_command_words *words,
		       bool roles)
{
	switch (e->kind) {
	case KT_COMMAND_DOORBELL:
		e->object = number(&v[KT_DOORBELL_CHANNEL]);
		e->doorbell.known = number(&v[KT_DOORBELL_KNOWN]) != 0;
		e->doorbell.value = number(&v[KT_DOORBELL_VALUE]);
		e->doorbell.moved = number(&v[KT_DOORBELL_MOVED]);
		break;
	case KT_COMMAND_ENTRY:
		e->client = number(&v[KT_ENTRY_CLIENT]);
		e->object = number(&v[KT_ENTRY_CHANNEL]);
		e->entry.class_number = number(&v[KT_ENTRY_CLASS]);
		e->entry.index = number(&v[KT_ENTRY_INDEX]);
		e->entry.words = number(&v[KT_ENTRY_WORDS]);
		e->entry.found = is(&v[KT_ENTRY_STATE], "found");
		e->entry.unread = !is(&v[KT_ENTRY_UNREAD], "");
		e->entry.address = roles ? wide(&v[KT_ENTRY_ADDRESS]) : 0;
		break;
	case KT_COMMAND_WORDS: return take_words(events, e, v, words);
	case KT_COMMAND_OBJECT:
		e->client = number(&v[KT_OBJECT_CLIENT]);
		e->object = number(&v[KT_OBJECT_OBJECT]);
		e->allocation.parent = number(&v[KT_OBJECT_PARENT]);
		e->allocation.class_number = number(&v[KT_OBJECT_CLASS]);
		e->allocation.alloc = is(&v[KT_OBJECT_ACTION], "alloc");
		e->allocation.freed = is(&v[KT_OBJECT_ACTION], "free");
		break;
	case KT_COMMAND_MAP:
		e->map.mapping = number(&v[KT_MAP_MAPPING]);
		e->map.address = wide(&v[KT_MAP_ADDRESS]);
		e->map.length = wide(&v[KT_MAP_LENGTH]);
		if (roles) {
			e->map.class_number = number(&v[KT_MAP_CLASS]);
			copy(e->map.space, sizeof(e->map.space), &v[KT_MAP_SPACE]);
		}
		break;
	case KT_COMMAND_ACCESS:
		e->access.mapping = number(&v[KT_ACCESS_MAPPING]);
		e->access.offset = wide(&v[KT_ACCESS_OFFSET]);
		e->access.write = !is(&v[KT_ACCESS_OP], "R");
		if (roles) {
			copy(e->access.role, sizeof(e->access.role), &v[KT_ACCESS_ROLE]);
			events->without_roles |= !e->access.role[0];
		}
		break;
	case KT_COMMAND_UNMAP:
		e->unmap.mapping = number(&v[KT_UNMAP_MAPPING]);
		e->unmap.length = wide(&v[KT_UNMAP_LENGTH]);
		break;
	case KT_COMMAND_IOCTL:
	case KT_COMMAND_ROLE_EVENT_KINDS: break;
	}
	return KT_OK;
}

static void forget_words(const struct kt_command_events *events, struct kt_command_event *e)
{
	if (events->streams && e->kind == KT_COMMAND_WORDS) {
		free(e->words.own);
		e->words.own = NULL;
	}
}

int kt_command_events_add(struct kt_command_events *events,
			  const struct kt_event_rules *rules, const struct kt_value *values,
			  const struct kt_command_words *words, bool roles, uint32_t *out)
{
	struct kt_command_event e = {.kind = (enum kt_command_event_kind)rules->command};
	const struct kt_value *kept = values + rules->kept;
	int code;

	*out = 0;
	/*
	 * Polls are found from reads of mappings, so writes and failed mappings are not
	 * needed.
	 */
	if ((e.kind == KT_COMMAND_ACCESS && !roles && !is(&kept[KT_ACCESS_OP], "R")) ||
	    (e.kind == KT_COMMAND_MAP && number(&kept[KT_MAP_ERROR]) != 0)) {
		return KT_OK;
	}
	KT_TRY_END(take_fields(events, &e, kept, words, roles));
	if (events->n_vacant > 0) {
		*out = events->vacant[--events->n_vacant];
		events->events[*out - 1] = e;
		return KT_OK;
	}
	KT_TRY_END(kt_array_reserve(&events->events, &events->capacity, events->n + 1));
	/*
	 * Reserves an element of `vacant` now, so that kt_command_events_forget() cannot
	 * fail.
	 */
	if (events->streams) {
		KT_TRY_END(kt_array_reserve(&events->vacant, &events->vacant_capacity,
					    events->n + 1));
	}
	if (events->n == UINT32_MAX) {
		code = kt_error(KT_E_MEMORY, "keep events: too many");
		goto end;
	}
	events->events[events->n++] = e;
	*out = (uint32_t)events->n;
	return KT_OK;
end:
	forget_words(events, &e);
	return code;
}

void kt_command_events_forget(struct kt_command_events *events, uint32_t number_)
{
	if (events->streams && number_) {
		forget_words(events, &events->events[number_ - 1]);
		events->events[number_ - 1] = (struct kt_command_event){0};
		events->vacant[events->n_vacant++] = number_;
	}
}

void kt_command_events_free(struct kt_command_events *events)
{
	for (size_t i = 0; i < events->n && events->streams; i++) {
		forget_words(events, &events->events[i]);
	}
	free(events->events);
	free(events->words);
	free(events->vacant);
	memset(events, 0, sizeof(*events));
}
