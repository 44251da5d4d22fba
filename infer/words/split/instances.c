/* SPDX-License-Identifier: MIT */
#include "infer/words/split/instances.h"

#include <stdlib.h>
#include <string.h>

#include <ktail/status.h>

#include "base/array.h"
#include "base/try.h"
#include "base/utf8.h"

/* --- sequence numbers of one process instance --- */

static int add_hole(struct kt_instance_numbers *l, uint64_t from, uint64_t to)
{
	KT_TRY(kt_array_reserve(&l->holes, &l->holes_capacity, l->n_holes + 1));
	l->holes[l->n_holes++] = (struct kt_hole){from, to};
	return KT_OK;
}

/* Removes a number from the holes; *found is whether it was in a hole. */
static int fill_hole(struct kt_instance_numbers *l, uint64_t seq, bool *found)
{
	size_t i = 0; /* index of the first hole that ends after `seq` */
	size_t high = l->n_holes;
	struct kt_hole *hole;

	while (i < high) {
		size_t middle = i + (high - i) / 2;

		if (l->holes[middle].to <= seq) {
			i = middle + 1;
		} else {
			high = middle;
		}
	}
	*found = i < l->n_holes && l->holes[i].from <= seq;
	if (!*found) {
		return KT_OK;
	}
	hole = &l->holes[i];
	if (hole->from == seq) {
		hole->from++;
	} else if (hole->to == seq + 1) {
		hole->to--;
	} else {
		const struct kt_hole rest = {seq + 1, hole->to};

		KT_TRY(add_hole(l, 0, 0));
		hole = &l->holes[i];
		hole->to = seq;
		memmove(hole + 2, hole + 1, (l->n_holes - i - 2) * sizeof(*hole));
		hole[1] = rest;
	}
	if (hole->from == hole->to) {
		memmove(hole, hole + 1, (l->n_holes - i - 1) * sizeof(*hole));
		l->n_holes--;
	}
	return KT_OK;
}

/* *fits is false, and nothing changes, if the event belongs to another process instance. */
static int take_number(struct kt_instance_numbers *l, uint64_t seq, enum kt_event_kind kind,
		       bool *fits)
{
	*fits = !(l->begun && kind == KT_EVENT_BEGIN && seq == 0);
	if (!*fits) {
		return KT_OK;
	}
	if (!l->begun) {
		l->first = l->next = seq;
		if (seq > 0) {
			KT_TRY(add_hole(l, 0, seq));
		}
	} else if (seq < l->next) {
		*fits = !(l->ended && seq < l->first);
		if (*fits) {
			KT_TRY(fill_hole(l, seq, fits));
		}
		if (!*fits) {
			return KT_OK;
		}
	} else if (seq > l->next) {
		KT_TRY(add_hole(l, l->next, seq));
	}
	l->begun = true;
	l->unsorted = l->unsorted || seq < l->next;
	if (seq >= l->next) {
		l->next = seq + 1;
		l->ended = kind == KT_EVENT_END;
	}
	return KT_OK;
}

/* --- all process instances --- */

static bool same_origin(const struct kt_origin *a, const struct kt_origin *b)
{
	return a->pid == b->pid && a->trace == b->trace && a->kernel == b->kernel;
}

static uint32_t hash_origin(const struct kt_origin *origin)
{
	return kt_hash_number((uint64_t)origin->pid << 32 ^ (uint64_t)origin->trace << 1 ^
			      origin->kernel);
}

int kt_instances_take(struct kt_instances *instances, const struct kt_origin *origin,
		      uint64_t seq, enum kt_event_kind kind, int64_t time,
		      struct kt_arrival *out)
{
	struct kt_instance *instance =
		/*
		 * first the instance of the previous event; if that instance has another
		 * origin, then the latest instance of this origin; NULL: none yet
		 */
		instances->last;
	struct kt_instance *before;
	struct kt_hash_probe probe;
	uint32_t slot;
	bool fits;

	if (!instance || !same_origin(&instance->origin, origin)) {
		instance = NULL;
		probe = kt_hash_probe(&instances->origins, hash_origin(origin));
		while (!instance && kt_hash_next(&instances->origins, &probe, &slot)) {
			instance = instances->youngest[slot];
			instance = same_origin(&instance->origin, origin) ? instance : NULL;
		}
	}
	fits = instance;
	if (origin->no_seq && kind == KT_EVENT_BEGIN) {
		seq = 0;
	} else if (origin->no_seq) {
		/* Numbers begin with 1: 0 would mean that process_begin was recorded. */
		seq = instance ? instance->numbers.next : 1;
	}
	*out = (struct kt_arrival){.seq = seq};
	if (instance) {
		KT_TRY(take_number(&instance->numbers, seq, kind, &fits));
	}
	if (!fits) {
		out->opens = true;
		KT_TRY(kt_array_reserve(&instances->items, &instances->capacity,
					instances->n + 1));
		KT_TRY(kt_array_reserve(&instances->youngest, &instances->youngest_capacity,
					instances->origins.n + 1));
		KT_TRY(kt_hash_reserve(&instances->origins, instances->origins.n + 1));
		before = instance;
		instance = calloc(1, instances->size);
		if (!instance) {
			return kt_no_memory("collect words");
		}
		instance->origin = *origin;
		instance->index = instance->number = instances->n;
		instance->before = before;
		instance->first_time = INT64_MAX;
		instance->slot = before ? before->slot : instances->origins.n;
		if (!before) {
			kt_hash_put(&instances->origins, hash_origin(origin),
				    (uint32_t)instance->slot);
		} else {
			free(before->numbers.holes);
			before->numbers.holes = NULL;
			before->numbers.n_holes = before->numbers.holes_capacity = 0;
		}
		instances->youngest[instance->slot] = instance;
		instances->items[instances->n++] = instance;
		KT_TRY(take_number(&instance->numbers, seq, kind, &fits));
	}
	instance->first_time = instance->first_time < time ? instance->first_time : time;
	instance->last_time = time;
	instances->last = out->instance = instance;
	return KT_OK;
}

int kt_instance_name(struct kt_instance *instance, const char *name, bool certain)
{
	char *copy;

	if (instance->name && (!certain || instance->certain)) {
		return KT_OK;
	}
	copy = kt_utf8_printable_copy(name);
	if (!copy) {
		return kt_no_memory("name processes");
	}
	free(instance->name);
	instance->name = copy;
	instance->certain = certain && *name;
	return KT_OK;
}

int kt_instance_map(struct kt_instance *instance, uint32_t mapping, const char *space)
{
	const size_t furthest = 2 * instance->n_spaces + 4096;

	if (mapping == 0 || mapping > furthest || strlen(space) >= KT_SPACE_BYTES) {
		return KT_OK;
	}
	KT_TRY(kt_array_reserve(&instance->spaces, &instance->spaces_capacity, mapping));
	while (instance->n_spaces < mapping) {
		instance->spaces[instance->n_spaces++][0] = '\0';
	}
	strcpy(instance->spaces[mapping - 1], space);
	return KT_OK;
}

const char *kt_instance_space(const struct kt_instance *instance, uint32_t mapping)
{
	return mapping > 0 && mapping <= instance->n_spaces ? instance->spaces[mapping - 1]
							    : "";
}

void kt_instances_free(struct kt_instances *instances)
{
	for (size_t i = 0; i < instances->n; i++) {
		free(instances->items[i]->numbers.holes);
		free(instances->items[i]->name);
		free(instances->items[i]->spaces);
		free(instances->items[i]);
	}
	free(instances->items);
	free(instances->youngest);
	kt_hash_free(&instances->origins);
	*instances = (struct kt_instances){.size = instances->size};
}
