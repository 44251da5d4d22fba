/* SPDX-License-Identifier: MIT */
#include "annotate/export/objects.h"

#include <stdlib.h>
#include <string.h>

#include <ktail/status.h>

#include "base/array.h"
#include "base/try.h"

/* In ascending order of names. */
static const struct stream_argument {
	const char *name;
	unsigned index;
} stream_arguments[] = {
#include "annotate/stream-arguments.inc"
};

static int compare_names(const void *name, const void *row)
{
	return strcmp(name, ((const struct stream_argument *)row)->name);
}

static int on_call_enter(void *context, const struct kt_moment *moment,
			 const struct kt_activity_call *call)
{
	struct kt_objects *o = context;
	const uint32_t event = kt_timeline_events_call(o->events, call->id);
	const struct stream_argument *row =
		call->function
			? bsearch(call->function->name, stream_arguments,
				  sizeof(stream_arguments) / sizeof(stream_arguments[0]),
				  sizeof(stream_arguments[0]), compare_names)
			: NULL;

	(void)moment;
	if (event == KT_TIMELINE_NONE || !row || row->index >= call->n_arguments) {
		return KT_OK;
	}
	KT_TRY(kt_array_reserve(&o->streams, &o->streams_capacity, o->n_streams + 1));
	o->streams[o->n_streams++] =
		(struct kt_stream_call){event, call->arguments[row->index]};
	return KT_OK;
}

static int on_object(void *context, const struct kt_moment *moment,
		     const struct kt_object_fields *fields)
{
	return kt_contexts_object(&((struct kt_objects *)context)->reading,
				  moment->instance, fields);
}

const struct kt_activity_visitor kt_objects_visitor = {
	.call_enter = on_call_enter,
	.object = on_object,
};

int kt_objects_end_trace(struct kt_objects *o)
{
	const struct kt_timeline_events *e = o->events;

	KT_TRY(kt_array_reserve(&o->contexts, &o->contexts_capacity, e->n_channels + 1));
	for (; o->n_contexts < e->n_channels; o->n_contexts++) {
		const struct kt_timeline_channel *c = &e->channels[o->n_contexts];

		o->contexts[o->n_contexts] =
			kt_contexts_of(&o->reading, c->instance, c->client, c->channel);
	}
	kt_contexts_free(&o->reading);
	o->reading = (struct kt_contexts){.n = 0};
	return KT_OK;
}

const struct kt_stream_call *kt_objects_stream(const struct kt_objects *o, uint32_t event)
{
	size_t low = 0;
	size_t high = o->n_streams;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		if (o->streams[middle].event < event) {
			low = middle + 1;
		} else {
			high = middle;
		}
	}
	return low < o->n_streams && o->streams[low].event == event ? &o->streams[low]
								    : NULL;
}

void kt_objects_free(struct kt_objects *objects)
{
	kt_contexts_free(&objects->reading);
	free(objects->streams);
	free(objects->contexts);
	*objects = (struct kt_objects){.n_streams = 0};
}
