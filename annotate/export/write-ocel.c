/* SPDX-License-Identifier: MIT */
/*
 * OCEL 2.0 in JSON (https://www.ocel-standard.org): events with the objects that they
 * concern: processes, threads, channels, contexts and streams.
 */
#include "annotate/export/export.h"

#include <inttypes.h>
#include <stdlib.h>

#include <ktail/status.h>

#include "base/json-writer.h"
#include "base/try.h"

#define NAME_SIZE 96

enum object_type { PROCESS, THREAD, CHANNEL, CONTEXT, STREAM, OBJECT_TYPES };

/*
 * Name of each type of object. It also qualifies the relationships of events to such
 * objects.
 */
static const struct {
	const char *name;
	const char *attribute; /* NULL: none */
} types[OBJECT_TYPES] = {{"process", "name"},
			 {"thread", NULL},
			 {"channel", "class"},
			 {"context", NULL},
			 {"stream", NULL}};

struct ocel {
	struct kt_json_writer w;
	const struct kt_export *export;
	struct kt_texts objects; /* contexts and streams that were written */
	struct kt_texts streams; /* process and handle of each stream: streams get numbers,
				  * because handles are addresses of the program */
	int code;                /* set if the id of a stream cannot be made */
};

/* --- identifiers: the type, the process, the handle --- */

static const char *process_id(char out[NAME_SIZE], const struct ocel *o, uint32_t process)
{
	snprintf(out, NAME_SIZE, "process:%" PRIu32,
		 o->export->tracks.processes[process].number);
	return out;
}

static const char *thread_id(char out[NAME_SIZE], const struct ocel *o, uint32_t thread)
{
	snprintf(out, NAME_SIZE, "thread:%" PRIu32,
		 o->export->tracks.threads[thread].number);
	return out;
}

static uint32_t process_of_channel(const struct ocel *o, uint32_t channel)
{
	return o->export->tracks.channels[channel].process;
}

static const char *channel_id(char out[NAME_SIZE], const struct ocel *o, uint32_t channel)
{
	const struct kt_timeline_channel *c = &o->export->timeline.events.channels[channel];

	snprintf(out, NAME_SIZE, "channel:%" PRIu32 ":0x%" PRIx32 ":0x%" PRIx32,
		 o->export->tracks.processes[process_of_channel(o, channel)].number,
		 c->client, c->channel);
	return out;
}

/* Returns NULL if the context of the channel is unknown. */
static const char *context_id(char out[NAME_SIZE], const struct ocel *o, uint32_t channel)
{
	const struct kt_timeline_channel *c = &o->export->timeline.events.channels[channel];
	const uint32_t context = o->export->objects.contexts[channel];

	snprintf(out, NAME_SIZE, "context:%" PRIu32 ":0x%" PRIx32 ":0x%" PRIx32,
		 o->export->tracks.processes[process_of_channel(o, channel)].number,
		 c->client, context);
	return context ? out : NULL;
}

/* Returns NULL if neither the event nor a call around it names a stream. */
static const char *stream_id(char out[NAME_SIZE], struct ocel *o, uint32_t index)
{
	const struct kt_timeline_events *e = &o->export->timeline.events;
	const struct kt_stream_call *call = NULL;
	uint32_t process;
	uint32_t number;

	for (; index != KT_TIMELINE_NONE && !call; index = e->events[index].call) {
		call = kt_objects_stream(&o->export->objects, index);
	}
	if (!call) {
		return NULL;
	}
	process = o->export->tracks.threads[e->events[call->event].thread].process;
	snprintf(out, NAME_SIZE, "%" PRIu32 ":%" PRIx64, process, call->stream);
	o->code = kt_texts_add(&o->streams, out, &number);
	if (o->code) {
		return NULL;
	}
	snprintf(out, NAME_SIZE, "stream:%" PRIu32 ":%" PRIu32,
		 o->export->tracks.processes[process].number, number + 1);
	return out;
}

/* --- objects --- */

static void put_relationship(struct ocel *o, const char *id, const char *qualifier)
{
	if (id) {
		KT_OBJECT(&o->w, NULL, KT_STR("objectId", id),
			  KT_STR("qualifier", qualifier));
	}
}

/* Begins an object and its relationships; the value of its attribute may be NULL. */
static void begin_object(struct ocel *o, enum object_type type, const char *id,
			 const char *value)
{
	kt_json_object(&o->w, NULL);
	KT_JSON(&o->w, KT_STR("id", id), KT_STR("type", types[type].name));
	kt_json_array(&o->w, "attributes");
	if (value) {
		KT_OBJECT(&o->w, NULL, KT_STR("name", types[type].attribute),
			  KT_STR("time", "1970-01-01T00:00:00Z"), KT_STR("value", value));
	}
	kt_json_end(&o->w);
	kt_json_array(&o->w, "relationships");
}

static void end_object(struct ocel *o)
{
	kt_json_end(&o->w);
	kt_json_end(&o->w);
}

/* Writes a context or stream, unless it was written before. */
static int put_once(struct ocel *o, enum object_type type, const char *id, uint32_t process)
{
	const size_t n = o->objects.n;
	char owner[NAME_SIZE];
	uint32_t number;

	if (!id) {
		return KT_OK;
	}
	KT_TRY(kt_texts_add(&o->objects, id, &number));
	if (number == n) {
		begin_object(o, type, id, NULL);
		put_relationship(o, process_id(owner, o, process), "of");
		end_object(o);
	}
	return KT_OK;
}

static int put_objects(struct ocel *o)
{
	const struct kt_tracks *t = &o->export->tracks;
	const struct kt_timeline_events *e = &o->export->timeline.events;
	const struct kt_objects *found = &o->export->objects;
	char id[NAME_SIZE];
	char other[NAME_SIZE];

	for (uint32_t i = 0; i < t->n_processes; i++) {
		begin_object(o, PROCESS, process_id(id, o, i), t->processes[i].name);
		end_object(o);
	}
	for (uint32_t i = 0; i < t->n_threads; i++) {
		begin_object(o, THREAD, thread_id(id, o, i), NULL);
		put_relationship(o, process_id(other, o, t->threads[i].process), "of");
		end_object(o);
	}
	for (uint32_t i = 0; i < t->n_channels; i++) {
		KT_TRY(put_once(o, CONTEXT, context_id(id, o, i), t->channels[i].process));
		begin_object(o, CHANNEL, channel_id(id, o, i),
			     kt_export_name(o->export, e->channels[i].class_name));
		put_relationship(o, process_id(other, o, t->channels[i].process), "of");
		put_relationship(o, context_id(other, o, i), "in");
		end_object(o);
	}
	for (size_t i = 0; i < found->n_streams; i++) {
		const uint32_t event = found->streams[i].event;

		KT_TRY(put_once(o, STREAM, stream_id(id, o, event),
				t->threads[e->events[event].thread].process));
		/* All streams have ids now, so later calls of stream_id() cannot fail. */
		KT_TRY(o->code);
	}
	return KT_OK;
}

/* --- events --- */

static void put_type(struct ocel *o, const char *name)
{
	static const char *const attributes[][2] = {
		{"kind", "string"}, {"duration", "integer"}, {"detail", "string"}};

	kt_json_object(&o->w, NULL);
	KT_JSON(&o->w, KT_STR("name", name));
	kt_json_array(&o->w, "attributes");
	for (size_t i = 0; i < sizeof(attributes) / sizeof(attributes[0]); i++) {
		KT_OBJECT(&o->w, NULL, KT_STR("name", attributes[i][0]),
			  KT_STR("type", attributes[i][1]));
	}
	kt_json_end(&o->w);
	kt_json_end(&o->w);
}

static int put_types(struct ocel *o)
{
	const struct kt_timeline_events *e = &o->export->timeline.events;
	bool *put = calloc(e->names.n + 1, sizeof(*put));

	if (!put) {
		return kt_no_memory("write events");
	}
	kt_json_rows(&o->w, "objectTypes");
	for (unsigned i = 0; i < OBJECT_TYPES; i++) {
		kt_json_object(&o->w, NULL);
		KT_JSON(&o->w, KT_STR("name", types[i].name));
		kt_json_array(&o->w, "attributes");
		if (types[i].attribute) {
			KT_OBJECT(&o->w, NULL, KT_STR("name", types[i].attribute),
				  KT_STR("type", "string"));
		}
		kt_json_end(&o->w);
		kt_json_end(&o->w);
	}
	kt_json_end(&o->w);
	kt_json_rows(&o->w, "eventTypes");
	put_type(o, "completed");
	for (size_t i = 0; i < e->n; i++) {
		if (!put[e->events[i].name]) {
			put[e->events[i].name] = true;
			put_type(o, kt_export_name(o->export, e->events[i].name));
		}
	}
	kt_json_end(&o->w);
	free(put);
	return KT_OK;
}

/* Begins an event and its attributes. */
static void begin_event(struct ocel *o, const char *id, const char *type, int64_t time,
			const char *kind, uint64_t duration, uint32_t detail)
{
	char text[KT_EXPORT_TIME];

	kt_json_object(&o->w, NULL);
	KT_JSON(&o->w, KT_STR("id", id), KT_STR("type", type),
		KT_STR("time", kt_export_time(text, o->export->timeline.begin + time)));
	kt_json_array(&o->w, "attributes");
	KT_OBJECT(&o->w, NULL, KT_STR("name", "kind"), KT_STR("value", kind));
	KT_OBJECT(&o->w, NULL, KT_STR("name", "duration"), KT_U64("value", duration));
	if (detail != KT_TIMELINE_NONE) {
		KT_OBJECT(&o->w, NULL, KT_STR("name", "detail"),
			  KT_STR("value", kt_export_name(o->export, detail)));
	}
	kt_json_end(&o->w);
	kt_json_array(&o->w, "relationships");
}

/* `channel` may be KT_TIMELINE_NONE, and so may `event`, which determines the stream. */
static void end_event(struct ocel *o, uint32_t channel, uint32_t event)
{
	char id[NAME_SIZE];

	if (channel != KT_TIMELINE_NONE) {
		put_relationship(o, channel_id(id, o, channel), types[CHANNEL].name);
		put_relationship(o, context_id(id, o, channel), types[CONTEXT].name);
	}
	if (event != KT_TIMELINE_NONE) {
		put_relationship(o, stream_id(id, o, event), types[STREAM].name);
	}
	kt_json_end(&o->w);
	kt_json_end(&o->w);
}

static void put_event(struct ocel *o, uint32_t index)
{
	const struct kt_timeline_event *event = &o->export->timeline.events.events[index];
	char id[NAME_SIZE];

	snprintf(id, sizeof(id), "e%" PRIu32, index + 1);
	begin_event(o, id, kt_export_name(o->export, event->name), event->time,
		    kt_export_kind_name(event->kind), event->duration, event->detail);
	put_relationship(
		o, process_id(id, o, o->export->tracks.threads[event->thread].process),
		types[PROCESS].name);
	put_relationship(o, thread_id(id, o, event->thread), types[THREAD].name);
	end_event(o, event->channel, index);
}

static void put_completion(struct ocel *o, uint32_t index)
{
	const struct kt_timeline_request *r = &o->export->requests[index];
	char id[NAME_SIZE];

	if (r->completed < 0) {
		return;
	}
	snprintf(id, sizeof(id), "c%" PRIu32, index + 1);
	begin_event(o, id, "completed", r->completed, "completion",
		    (uint64_t)(r->completed - r->submitted), r->name);
	put_relationship(o, process_id(id, o, process_of_channel(o, r->channel)),
			 types[PROCESS].name);
	if (r->noticed != KT_TIMELINE_NONE) {
		put_relationship(o, thread_id(id, o, r->noticed), types[THREAD].name);
	}
	end_event(o, r->channel, r->doorbell);
}

static int put_all(struct ocel *o)
{
	const struct kt_export *x = o->export;

	kt_json_object(&o->w, NULL);
	KT_TRY(put_types(o));
	kt_json_rows(&o->w, "objects");
	KT_TRY(put_objects(o));
	kt_json_end(&o->w);
	kt_json_rows(&o->w, "events");
	for (uint32_t i = 0; i < x->timeline.events.n; i++) {
		put_event(o, i);
	}
	for (uint32_t i = 0; i < x->n_requests; i++) {
		put_completion(o, i);
	}
	kt_json_end(&o->w);
	return kt_json_finish(&o->w, "write events");
}

int kt_export_write_ocel(FILE *out, const void *export)
{
	struct ocel o = {.w.out = out, .export = export};
	const int code = put_all(&o);

	kt_texts_free(&o.objects);
	kt_texts_free(&o.streams);
	return code;
}
