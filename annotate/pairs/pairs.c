/* SPDX-License-Identifier: MIT */
#include "annotate/pairs/pairs.h"

#include <stdlib.h>
#include <string.h>

#include <ktail/status.h>

#include "annotate/events/names.h"
#include "base/array.h"
#include "base/try.h"
#include "decode/ioctls.h"

/* A process instance of the trace that is being read. */
struct kt_pair_instance {
	struct kt_number_map known[KT_RESOURCE_GROUPS]; /* id -> index in resources */
	/*
	 * The instance may have inherited resources: its parent was recorded, or its own
	 * beginning is missing.
	 */
	bool inherits;
};

const char *kt_resource_group_name(enum kt_resource_group group)
{
	static const char *const names[KT_RESOURCE_GROUPS] = {"mapping", "object", "file",
							      "memory"};

	return names[group];
}

const char *kt_resource_end_name(enum kt_resource_end end)
{
	static const char *const names[KT_RESOURCE_ENDS] = {"open",     "own",  "ancestor",
							    "replaced", "left", "exec"};

	return names[end];
}

const char *kt_misstep_name(enum kt_misstep misstep)
{
	static const char *const names[KT_MISSTEPS] = {"twice", "unknown", "inherited"};

	return names[misstep];
}

/* --- setting up and taking down --- */

static int event_of(struct kt_pairs *pairs, const struct kt_moment *moment,
		    struct kt_pair_event *out)
{
	*out = (struct kt_pair_event){
		.seq = moment->seq, .time = moment->time, .tid = moment->tid};
	if (moment->call) {
		out->call = kt_texts_keep(&pairs->pool, moment->call->name);
		return out->call ? KT_OK : KT_E_MEMORY;
	}
	return KT_OK;
}

/* Ends the resource at `index`. */
static int put_down(struct kt_pairs *pairs, const struct kt_moment *moment, size_t index,
		    enum kt_resource_end end)
{
	struct kt_resource *resource = &pairs->resources[index];

	resource->end = end;
	return event_of(pairs, moment, &resource->down);
}

/*
 * Adds a resource. An existing resource with the same id ends as REPLACED. Writes the new
 * index to *out unless `out` is NULL.
 */
static int set_up(struct kt_pairs *pairs, const struct kt_moment *moment,
		  const struct kt_resource *resource, size_t *out)
{
	struct kt_number_map *known =
		&pairs->reading[moment->instance]->known[resource->group];
	size_t before = kt_number_map_get(known, resource->id);
	struct kt_resource *up;

	if (before != KT_NOWHERE && kt_resource_is_there(&pairs->resources[before])) {
		KT_TRY(put_down(pairs, moment, before, KT_END_REPLACED));
	}
	KT_TRY(kt_array_reserve(&pairs->resources, &pairs->capacity, pairs->n + 1));
	KT_TRY(kt_number_map_set(known, resource->id, pairs->n));
	up = &pairs->resources[pairs->n];
	*up = *resource;
	up->trace = pairs->n_traces - 1;
	up->instance = moment->instance;
	up->pid = moment->pid;
	KT_TRY(kt_texts_printable(&pairs->pool, resource->kind, &up->kind));
	KT_TRY(kt_texts_printable(&pairs->pool, moment->process, &up->process));
	KT_TRY(event_of(pairs, moment, &up->up));
	if (out) {
		*out = pairs->n;
	}
	pairs->n++;
	return KT_OK;
}

/* Returns the index of the latest resource with this id; KT_NOWHERE if no resource has it. */
static size_t find(const struct kt_pairs *pairs, const struct kt_moment *moment,
		   enum kt_resource_group group, uint64_t id)
{
	return kt_number_map_get(&pairs->reading[moment->instance]->known[group], id);
}

static bool is_there(const struct kt_pairs *pairs, size_t at)
{
	return at != KT_NOWHERE && kt_resource_is_there(&pairs->resources[at]);
}

/* Adds a wrong release: of an unknown resource, or of a resource already taken down. */
static int miss(struct kt_pairs *pairs, const struct kt_moment *moment,
		enum kt_resource_group group, uint64_t id)
{
	const struct kt_pair_instance *instance = pairs->reading[moment->instance];
	size_t at = find(pairs, moment, group, id);
	struct kt_wrong_end wrong = {
		.misstep = at != KT_NOWHERE ? KT_MISSTEP_TWICE
			   : instance->inherits || group == KT_RESOURCE_FILE
				   ? KT_MISSTEP_INHERITED
				   : KT_MISSTEP_UNKNOWN,
		.group = group,
		.kind = at != KT_NOWHERE ? pairs->resources[at].kind : "",
		.trace = pairs->n_traces - 1,
		.instance = moment->instance,
		.pid = moment->pid,
		.id = id,
	};

	KT_TRY(kt_texts_printable(&pairs->pool, moment->process, &wrong.process));
	KT_TRY(event_of(pairs, moment, &wrong.event));
	KT_TRY(kt_array_reserve(&pairs->wrong, &pairs->wrong_capacity, pairs->n_wrong + 1));
	pairs->wrong[pairs->n_wrong++] = wrong;
	return KT_OK;
}

/* Ends the resource with this id. If the resource does not exist, adds a wrong release. */
static int take_down(struct kt_pairs *pairs, const struct kt_moment *moment,
		     enum kt_resource_group group, uint64_t id)
{
	size_t at = find(pairs, moment, group, id);

	if (!is_there(pairs, at)) {
		return miss(pairs, moment, group, id);
	}
	return put_down(pairs, moment, at, KT_END_OWN);
}

/* --- objects of the resource manager: the tree of each client --- */

static uint64_t id_of(uint32_t client, uint32_t handle)
{
	return (uint64_t)client << 32 | handle;
}

/*
 * Ends an object and its descendants. The loop moves the children of each visited object
 * into the list of the object and its siblings, so that this one list reaches all descendants.
 */
static int free_object(struct kt_pairs *pairs, const struct kt_moment *moment, size_t index)
{
	size_t next = pairs->resources[index].below;
	int code = put_down(pairs, moment, index, KT_END_OWN);

	while (next && !code) {
		struct kt_resource *resource = &pairs->resources[next - 1];
		size_t last = resource->below;

		/* Insert the children between the object and its next sibling. */
		if (last) {
			while (pairs->resources[last - 1].beside) {
				last = pairs->resources[last - 1].beside;
			}
			pairs->resources[last - 1].beside = resource->beside;
			resource->beside = resource->below;
			resource->below = 0;
		}
		next = resource->beside;
		if (kt_resource_is_there(resource)) {
			code = put_down(pairs, moment,
					(size_t)(resource - pairs->resources),
					KT_END_ANCESTOR);
		}
	}
	pairs->resources[index].below = 0;
	return code;
}

/*
 * The recorder emits a free event for each descendant of a freed object, too. Other tracers
 * may emit an event only for the object itself, so each free event also ends the descendants.
 */
static int object(void *context, const struct kt_moment *moment,
		  const struct kt_object_fields *fields)
{
	struct kt_pairs *pairs = context;
	const struct kt_engine_object *of = &fields->object;
	const struct kt_wrong_end *last =
		pairs->n_wrong ? &pairs->wrong[pairs->n_wrong - 1] : NULL;
	char buffer[16];
	struct kt_resource resource = {.group = KT_RESOURCE_OBJECT,
				       .id = id_of(of->client, of->handle)};
	size_t index;
	size_t at;

	if (!fields->freed) {
		resource.kind = kt_class_label(of->class_number, buffer);
		KT_TRY(set_up(pairs, moment, &resource, &index));
		/*
		 * Add the object to the children of its parent, unless the object is a client,
		 * which is its own parent.
		 */
		at = find(pairs, moment, KT_RESOURCE_OBJECT, id_of(of->client, of->parent));
		if (at != KT_NOWHERE && at != index) {
			pairs->resources[index].beside = pairs->resources[at].below;
			pairs->resources[at].below = index + 1;
		}
		return KT_OK;
	}
	at = find(pairs, moment, KT_RESOURCE_OBJECT, resource.id);
	if (is_there(pairs, at)) {
		KT_TRY(free_object(pairs, moment, at));
	} else if (at == KT_NOWHERE || pairs->resources[at].free_reported) {
		/*
		 * Add a wrong release unless the handler of the ioctl event just before this
		 * event has already added it.
		 */
		if (!last || last->id != resource.id || last->group != KT_RESOURCE_OBJECT ||
		    last->instance != moment->instance ||
		    last->event.seq + 1 != moment->seq) {
			KT_TRY(miss(pairs, moment, KT_RESOURCE_OBJECT, resource.id));
		}
	}
	if (at != KT_NOWHERE) {
		pairs->resources[at].free_reported = true;
	}
	return KT_OK;
}

/*
 * Handles NV_ESC_RM_FREE here, because an ioctl event precedes the object events of the same
 * ioctl, and a failed ioctl has no object events.
 */
static int ioctl_(void *context, const struct kt_moment *moment, const struct kt_call *call)
{
	struct kt_pairs *pairs = context;
	uint64_t id = id_of(call->client, call->object);
	size_t at;

	KT_TRY(kt_pair_counts_ioctl(&pairs->counts, call));
	if (call->what.family != KT_IOCTL_RM || call->what.nr != KT_NR_FREE) {
		return KT_OK;
	}
	at = find(pairs, moment, KT_RESOURCE_OBJECT, id);
	if (!is_there(pairs, at)) {
		return miss(pairs, moment, KT_RESOURCE_OBJECT, id);
	}
	return kt_call_failed(call) ? KT_OK : free_object(pairs, moment, at);
}

/* --- mappings --- */

static int map(void *context, const struct kt_moment *moment,
	       const struct kt_map_fields *fields)
{
	const struct kt_resource resource = {.group = KT_RESOURCE_MAPPING,
					     .kind = fields->space,
					     .id = fields->mapping,
					     .bytes = fields->length};

	return fields->error || !fields->mapping ? KT_OK
						 : set_up(context, moment, &resource, NULL);
}

static int unmap(void *context, const struct kt_moment *moment,
		 const struct kt_unmap_fields *fields)
{
	struct kt_pairs *pairs = context;
	size_t at = find(pairs, moment, KT_RESOURCE_MAPPING, fields->mapping);

	if (is_there(pairs, at)) {
		pairs->resources[at].unmapped += fields->length;
		if (pairs->resources[at].unmapped < pairs->resources[at].bytes) {
			return KT_OK;
		}
	}
	return take_down(pairs, moment, KT_RESOURCE_MAPPING, fields->mapping);
}

/* --- device files --- */

static int device_open(void *context, const struct kt_moment *moment,
		       const struct kt_device_fields *fields)
{
	const struct kt_resource resource = {.group = KT_RESOURCE_FILE,
					     .kind = fields->device,
					     .id = (uint32_t)fields->fd};

	return fields->error || fields->fd < 0 ? KT_OK
					       : set_up(context, moment, &resource, NULL);
}

static int device_close(void *context, const struct kt_moment *moment,
			const struct kt_device_fields *fields)
{
	return take_down(context, moment, KT_RESOURCE_FILE, (uint32_t)fields->fd);
}

/* --- memory that the API registers --- */

/*
 * Counts calls of both APIs. Tracks registered memory by calls of the driver API only: the
 * runtime calls the driver API, so the calls of the runtime would register the same memory
 * twice.
 */
static int call_exit(void *context, const struct kt_moment *moment,
		     const struct kt_activity_call *call)
{
	const bool done = kt_activity_done(call);
	struct kt_resource resource = {.group = KT_RESOURCE_MEMORY, .kind = "host"};
	KT_TRY(kt_pair_counts_call(&((struct kt_pairs *)context)->counts, call));
	if (!done || !call->function || !call->n_arguments ||
	    strcmp(call->api, "driver") != 0) {
		return KT_OK;
	}
	resource.id = call->arguments[0];
	if (call->function->kind == KT_API_KIND_HOST_UNREGISTER) {
		return take_down(context, moment, KT_RESOURCE_MEMORY, resource.id);
	}
	if (call->function->kind != KT_API_KIND_HOST_REGISTER) {
		return KT_OK;
	}
	kt_api_bytes(&resource.bytes, call->function, call->arguments, call->n_arguments);
	return set_up(context, moment, &resource, NULL);
}

/* --- processes --- */

static int process_begin(void *context, const struct kt_moment *moment,
			 const struct kt_process_begin_fields *fields)
{
	struct kt_pairs *pairs = context;
	struct kt_pair_instance *instance;

	KT_TRY(kt_array_reserve(&pairs->reading, &pairs->reading_capacity,
				(size_t)moment->instance + 1));
	while (pairs->n_reading <= moment->instance) {
		pairs->reading[pairs->n_reading++] = NULL;
	}
	if (pairs->reading[moment->instance]) {
		return KT_OK;
	}
	instance = calloc(1, sizeof(*instance));
	if (!instance) {
		return kt_no_memory("match pairs");
	}
	instance->inherits =
		!fields || kt_number_map_get(&pairs->pids, fields->ppid) != KT_NOWHERE;
	pairs->reading[moment->instance] = instance;
	return kt_number_map_set(&pairs->pids, moment->pid, 0);
}

/*
 * Resources that an exec ends still count as existing (kt_resource_is_there()): the process
 * instance continues if the exec fails, and may take the resources down.
 */
static int process_end(void *context, const struct kt_moment *moment,
		       const struct kt_process_end_fields *fields)
{
	struct kt_pairs *pairs = context;
	bool exits = strcmp(fields->reason, "exit") == 0;

	if (strcmp(fields->reason, "filter") == 0) {
		return KT_OK; /* the process continues, unrecorded, and keeps its resources */
	}
	for (size_t i = pairs->n; i > 0; i--) {
		struct kt_resource *resource = &pairs->resources[i - 1];

		if (resource->trace != pairs->n_traces - 1) {
			break;
		}
		if (resource->instance == moment->instance &&
		    kt_resource_is_there(resource)) {
			resource->end = exits ? KT_END_LEFT : KT_END_EXEC;
		}
	}
	return KT_OK;
}

/* --- a trace --- */

static void free_reading(struct kt_pairs *pairs)
{
	for (size_t i = 0; i < pairs->n_reading; i++) {
		struct kt_pair_instance *instance = pairs->reading[i];

		for (int g = 0; instance && g < KT_RESOURCE_GROUPS; g++) {
			kt_number_map_free(&instance->known[g]);
		}
		free(instance);
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
	.object = object,
	.map = map,
	.unmap = unmap,
};

void kt_pairs_free(struct kt_pairs *pairs)
{
	free_reading(pairs);
	free(pairs->reading);
	free(pairs->resources);
	free(pairs->wrong);
	kt_pair_counts_free(&pairs->counts);
	kt_texts_free(&pairs->pool);
	memset(pairs, 0, sizeof(*pairs));
}
