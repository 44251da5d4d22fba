/* SPDX-License-Identifier: MIT */
/* Objects of the resource manager: the tree of each client, as it grows and is freed. */
#include <ktail/status.h>

#include "annotate/events/names.h"
#include "annotate/pairs/pair-life.h"
#include "base/try.h"
#include "decode/ioctls.h"

static uint64_t id_of(uint32_t client, uint32_t handle)
{
	return (uint64_t)client << 32 | handle;
}

/* --- set up --- */

static int take_alloc(struct kt_pairs *pairs, const struct kt_moment *moment,
		      const struct kt_engine_object *object)
{
	char buffer[16];
	struct kt_thing thing = {
		.group = KT_THING_OBJECT,
		.kind = kt_class_label(object->class_number, buffer),
		.id = id_of(object->client, object->handle),
	};
	size_t index;
	size_t parent;

	KT_TRY(kt_pairs_up(pairs, moment, &thing, &index));
	/* A handle may be its own parent: a client is. */
	parent = kt_pairs_find(pairs, moment, KT_THING_OBJECT,
			       id_of(object->client, object->parent));
	if (parent != KT_NOWHERE && parent != index) {
		pairs->things[index].beside = pairs->things[parent].below;
		pairs->things[parent].below = index + 1;
	}
	return KT_OK;
}

/* --- taken down --- */

/* All below it, too. Those below come behind it: each is put on the list once. */
static int take_down(struct kt_pairs *pairs, const struct kt_moment *moment, size_t index)
{
	size_t next = pairs->things[index].below;
	int code = kt_pairs_down(pairs, moment, index, KT_END_OWN);

	while (next && !code) {
		struct kt_thing *thing = &pairs->things[next - 1];
		size_t last = thing->below;

		/* Its own stand between it and the next beside it. */
		if (last) {
			while (pairs->things[last - 1].beside) {
				last = pairs->things[last - 1].beside;
			}
			pairs->things[last - 1].beside = thing->beside;
			thing->beside = thing->below;
			thing->below = 0;
		}
		next = thing->beside;
		if (kt_thing_is_there(thing)) {
			code = kt_pairs_down(pairs, moment, (size_t)(thing - pairs->things),
					     KT_END_ANCESTOR);
		}
	}
	pairs->things[index].below = 0;
	return code;
}

static bool is_there(const struct kt_pairs *pairs, size_t at)
{
	return at != KT_NOWHERE && kt_thing_is_there(&pairs->things[at]);
}

/*
 * The recorder says of each object below that it is freed, too; a trace of another may say
 * so of the one that was freed alone.
 */
int kt_pairs_object(void *context, const struct kt_moment *moment,
		    const struct kt_object_fields *fields)
{
	struct kt_pairs *pairs = context;
	const struct kt_wrong_end *last =
		pairs->n_wrong ? &pairs->wrong[pairs->n_wrong - 1] : NULL;
	uint64_t id = id_of(fields->object.client, fields->object.handle);
	bool missed; /* the ioctl in front of this event has said so already */
	size_t at;

	if (!fields->freed) {
		return take_alloc(pairs, moment, &fields->object);
	}
	at = kt_pairs_find(pairs, moment, KT_THING_OBJECT, id);
	missed = last && last->id == id && last->group == KT_THING_OBJECT &&
		 last->life == moment->life && last->place.seq + 1 == moment->seq;
	if (is_there(pairs, at)) {
		KT_TRY(take_down(pairs, moment, at));
	} else if ((at == KT_NOWHERE || pairs->things[at].told) && !missed) {
		KT_TRY(kt_pairs_miss(pairs, moment, KT_THING_OBJECT, id));
	}
	if (at != KT_NOWHERE) {
		pairs->things[at].told = true;
	}
	return KT_OK;
}

/* The ioctl comes in front of the object events that it gives; of one that failed none do.
 */
int kt_pairs_ioctl(void *context, const struct kt_moment *moment,
		   const struct kt_call *call)
{
	struct kt_pairs *pairs = context;
	uint64_t id = id_of(call->client, call->object);
	size_t at;

	if (call->what.family != KT_IOCTL_RM || call->what.nr != KT_NR_FREE) {
		return KT_OK;
	}
	at = kt_pairs_find(pairs, moment, KT_THING_OBJECT, id);
	if (!is_there(pairs, at)) {
		return kt_pairs_miss(pairs, moment, KT_THING_OBJECT, id);
	}
	return kt_call_failed(call) ? KT_OK : take_down(pairs, moment, at);
}
