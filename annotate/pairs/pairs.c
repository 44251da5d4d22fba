/* SPDX-License-Identifier: MIT */
#include "annotate/pairs/pairs.h"

#include <stdlib.h>
#include <string.h>

#include <ktail/status.h>

#include "annotate/pairs/pair-life.h"
#include "base/array.h"
#include "base/try.h"

const char *kt_thing_group_name(enum kt_thing_group group)
{
	static const char *const names[KT_THING_GROUPS] = {"mapping", "object", "file",
							   "memory"};

	return names[group];
}

const char *kt_thing_end_name(enum kt_thing_end end)
{
	static const char *const names[KT_THING_ENDS] = {"open",     "own",  "ancestor",
							 "replaced", "left", "exec"};

	return names[end];
}

const char *kt_misstep_name(enum kt_misstep misstep)
{
	static const char *const names[KT_MISSTEPS] = {"twice", "unknown", "inherited"};

	return names[misstep];
}

/* --- up and down --- */

static int place_of(struct kt_pairs *pairs, const struct kt_moment *moment,
		    struct kt_pair_place *out)
{
	*out = (struct kt_pair_place){
		.seq = moment->seq, .time = moment->time, .tid = moment->tid};
	if (moment->call) {
		out->call = kt_texts_keep(&pairs->pool, moment->call->name);
		return out->call ? KT_OK : KT_E_MEMORY;
	}
	return KT_OK;
}

int kt_pairs_down(struct kt_pairs *pairs, const struct kt_moment *moment, size_t index,
		  enum kt_thing_end end)
{
	struct kt_thing *thing = &pairs->things[index];

	thing->end = end;
	return place_of(pairs, moment, &thing->down);
}

int kt_pairs_up(struct kt_pairs *pairs, const struct kt_moment *moment,
		const struct kt_thing *thing, size_t *out)
{
	struct kt_number_map *known = &kt_pair_life_of(pairs, moment)->known[thing->group];
	size_t before = kt_number_map_get(known, thing->id);
	struct kt_thing *up;

	if (before != KT_NOWHERE && kt_thing_is_there(&pairs->things[before])) {
		KT_TRY(kt_pairs_down(pairs, moment, before, KT_END_REPLACED));
	}
	KT_TRY(kt_array_reserve(&pairs->things, &pairs->capacity, pairs->n + 1));
	KT_TRY(kt_number_map_set(known, thing->id, pairs->n));
	up = &pairs->things[pairs->n];
	*up = *thing;
	up->trace = pairs->n_traces - 1;
	up->life = moment->life;
	up->pid = moment->pid;
	KT_TRY(kt_texts_printable(&pairs->pool, thing->kind, &up->kind));
	KT_TRY(kt_texts_printable(&pairs->pool, moment->process, &up->process));
	KT_TRY(place_of(pairs, moment, &up->up));
	if (out) {
		*out = pairs->n;
	}
	pairs->n++;
	return KT_OK;
}

size_t kt_pairs_find(const struct kt_pairs *pairs, const struct kt_moment *moment,
		     enum kt_thing_group group, uint64_t id)
{
	return kt_number_map_get(&kt_pair_life_of(pairs, moment)->known[group], id);
}

int kt_pairs_miss(struct kt_pairs *pairs, const struct kt_moment *moment,
		  enum kt_thing_group group, uint64_t id)
{
	const struct kt_pair_life *life = kt_pair_life_of(pairs, moment);
	size_t at = kt_pairs_find(pairs, moment, group, id);
	struct kt_wrong_end wrong = {
		.misstep = at != KT_NOWHERE                           ? KT_MISSTEP_TWICE
			   : life->inherits || group == KT_THING_FILE ? KT_MISSTEP_INHERITED
								      : KT_MISSTEP_UNKNOWN,
		.group = group,
		.kind = at != KT_NOWHERE ? pairs->things[at].kind : "",
		.trace = pairs->n_traces - 1,
		.life = moment->life,
		.pid = moment->pid,
		.id = id,
	};
	KT_TRY(kt_texts_printable(&pairs->pool, moment->process, &wrong.process));
	KT_TRY(place_of(pairs, moment, &wrong.place));
	KT_TRY(kt_array_reserve(&pairs->wrong, &pairs->wrong_capacity, pairs->n_wrong + 1));
	pairs->wrong[pairs->n_wrong++] = wrong;
	return KT_OK;
}

/* What is known by an id goes; if it is not there, that is noted. */
static int take_down(struct kt_pairs *pairs, const struct kt_moment *moment,
		     enum kt_thing_group group, uint64_t id)
{
	size_t at = kt_pairs_find(pairs, moment, group, id);

	if (at == KT_NOWHERE || !kt_thing_is_there(&pairs->things[at])) {
		return kt_pairs_miss(pairs, moment, group, id);
	}
	return kt_pairs_down(pairs, moment, at, KT_END_OWN);
}

static int ioctl_(void *context, const struct kt_moment *moment, const struct kt_call *call)
{
	struct kt_pairs *pairs = context;
	KT_TRY(kt_pair_counts_ioctl(&pairs->counts, call));
	return kt_pairs_ioctl(pairs, moment, call);
}

/* --- mappings --- */

static int map(void *context, const struct kt_moment *moment,
	       const struct kt_map_fields *fields)
{
	const struct kt_thing thing = {.group = KT_THING_MAPPING,
				       .kind = fields->space,
				       .id = fields->mapping,
				       .bytes = fields->length};

	return fields->error || !fields->mapping
		       ? KT_OK
		       : kt_pairs_up(context, moment, &thing, NULL);
}

static int unmap(void *context, const struct kt_moment *moment,
		 const struct kt_unmap_fields *fields)
{
	struct kt_pairs *pairs = context;
	size_t at = kt_pairs_find(pairs, moment, KT_THING_MAPPING, fields->mapping);

	if (at != KT_NOWHERE && kt_thing_is_there(&pairs->things[at])) {
		pairs->things[at].gone += fields->length;
		if (pairs->things[at].gone < pairs->things[at].bytes) {
			return KT_OK;
		}
	}
	return take_down(pairs, moment, KT_THING_MAPPING, fields->mapping);
}

/* --- device files --- */

static int device_open(void *context, const struct kt_moment *moment,
		       const struct kt_device_fields *fields)
{
	const struct kt_thing thing = {
		.group = KT_THING_FILE, .kind = fields->device, .id = (uint32_t)fields->fd};

	return fields->error || fields->fd < 0 ? KT_OK
					       : kt_pairs_up(context, moment, &thing, NULL);
}

static int device_close(void *context, const struct kt_moment *moment,
			const struct kt_device_fields *fields)
{
	return take_down(context, moment, KT_THING_FILE, (uint32_t)fields->fd);
}

/* --- memory that the API registers --- */

/* A call of the runtime makes one of the driver, which counts. */
static int call_exit(void *context, const struct kt_moment *moment,
		     const struct kt_activity_call *call)
{
	bool done = call->returned && (!call->known || call->result == 0);
	struct kt_thing thing = {.group = KT_THING_MEMORY, .kind = "host"};
	KT_TRY(kt_pair_counts_call(&((struct kt_pairs *)context)->counts, call));
	if (!done || !call->function || !call->n_arguments ||
	    strcmp(call->api, "driver") != 0) {
		return KT_OK;
	}
	thing.id = call->arguments[0];
	if (call->function->kind == KT_API_KIND_HOST_UNREGISTER) {
		return take_down(context, moment, KT_THING_MEMORY, thing.id);
	}
	if (call->function->kind != KT_API_KIND_HOST_REGISTER) {
		return KT_OK;
	}
	kt_api_bytes(&thing.bytes, call->function, call->arguments, call->n_arguments);
	return kt_pairs_up(context, moment, &thing, NULL);
}

/* --- processes --- */

static int process_begin(void *context, const struct kt_moment *moment,
			 const struct kt_process_begin_fields *fields)
{
	struct kt_pairs *pairs = context;
	struct kt_pair_life *life;

	KT_TRY(kt_array_reserve(&pairs->reading, &pairs->reading_capacity,
				(size_t)moment->life + 1));
	while (pairs->n_reading <= moment->life) {
		pairs->reading[pairs->n_reading++] = NULL;
	}
	if (pairs->reading[moment->life]) {
		return KT_OK;
	}
	life = calloc(1, sizeof(*life));
	if (!life) {
		return kt_no_memory("match pairs");
	}
	life->inherits =
		!fields || kt_number_map_get(&pairs->pids, fields->ppid) != KT_NOWHERE;
	pairs->reading[moment->life] = life;
	return kt_number_map_set(&pairs->pids, moment->pid, 0);
}

/* An exec that failed is not the end: then more of the life comes. */
static int process_end(void *context, const struct kt_moment *moment,
		       const struct kt_process_end_fields *fields)
{
	struct kt_pairs *pairs = context;
	bool exits = strcmp(fields->reason, "exit") == 0;

	if (strcmp(fields->reason, "filter") == 0) {
		return KT_OK; /* it goes on, and nothing more is known of it */
	}
	for (size_t i = pairs->n; i > 0; i--) {
		struct kt_thing *thing = &pairs->things[i - 1];

		if (thing->trace != pairs->n_traces - 1) {
			break;
		}
		if (thing->life == moment->life && kt_thing_is_there(thing)) {
			thing->end = exits ? KT_END_LEFT : KT_END_EXEC;
		}
	}
	return KT_OK;
}

/* --- a trace --- */

static void free_reading(struct kt_pairs *pairs)
{
	for (size_t i = 0; i < pairs->n_reading; i++) {
		struct kt_pair_life *life = pairs->reading[i];

		for (int g = 0; life && g < KT_THING_GROUPS; g++) {
			kt_number_map_free(&life->known[g]);
		}
		free(life);
	}
	pairs->n_reading = 0;
	kt_number_map_free(&pairs->pids);
}

static int begin(void *context, const char *path)
{
	struct kt_pairs *pairs = context;

	(void)path;
	pairs->n_traces++;
	return KT_OK;
}

static int end(void *context)
{
	free_reading(context);
	return KT_OK;
}

const struct kt_activity_visitor kt_pairs_visitor = {
	.begin = begin,
	.end = end,
	.process_begin = process_begin,
	.process_end = process_end,
	.call_exit = call_exit,
	.ioctl = ioctl_,
	.device_open = device_open,
	.device_close = device_close,
	.object = kt_pairs_object,
	.map = map,
	.unmap = unmap,
};

void kt_pairs_free(struct kt_pairs *pairs)
{
	free_reading(pairs);
	free(pairs->reading);
	free(pairs->things);
	free(pairs->wrong);
	kt_pair_counts_free(&pairs->counts);
	kt_texts_free(&pairs->pool);
	memset(pairs, 0, sizeof(*pairs));
}
