/* SPDX-License-Identifier: MIT */
/*
 * JSON trace events, as chrome://tracing and Perfetto read them ("Trace Event Format",
 * google/trace-viewer). Times are in microseconds. Channels are shown as threads.
 */
#include "annotate/export/export.h"

#include <inttypes.h>
#include <stdlib.h>

#include <ktail/status.h>

#include "annotate/export/dwords.h"
#include "base/json-writer.h"
#include "base/try.h"

struct chrome {
	struct kt_json_writer w;
	const struct kt_export *export;
	uint64_t *depth; /* Owned by this: number of unfinished requests of each channel */
};

static void put_time(struct kt_json_writer *w, const char *key, int64_t ns)
{
	kt_json_print(w, key, "%" PRId64 ".%03" PRId64, ns / 1000, ns % 1000);
}

static const struct kt_timeline_event *event_of(const struct chrome *c, uint32_t index)
{
	return &c->export->timeline.events.events[index];
}

/* --- processes, threads, channels --- */

static void put_name(struct kt_json_writer *w, const char *what, uint32_t process,
		     uint32_t thread, const char *name)
{
	kt_json_object(w, NULL);
	KT_JSON(w, KT_STR("ph", "M"), KT_STR("name", what), KT_U64("pid", process),
		KT_U64("tid", thread));
	KT_OBJECT(w, "args", KT_STR("name", name));
	kt_json_end(w);
}

static void put_tracks(struct kt_json_writer *w, const struct kt_tracks *t)
{
	for (size_t i = 0; i < t->n_processes; i++) {
		put_name(w, "process_name", t->processes[i].number, 0,
			 t->processes[i].name);
	}
	for (size_t i = 0; i < t->n_threads; i++) {
		put_name(w, "thread_name", t->processes[t->threads[i].process].number,
			 t->threads[i].number, t->threads[i].name);
	}
	for (size_t i = 0; i < t->n_channels; i++) {
		put_name(w, "thread_name", t->processes[t->channels[i].process].number,
			 t->channels[i].number, t->channels[i].name);
	}
}

/* --- events --- */

/* Begins an event on a track; the caller ends it. */
static void begin(struct chrome *c, const char *phase, const char *category,
		  const char *name, int64_t time, const struct kt_track *track)
{
	kt_json_object(&c->w, NULL);
	KT_JSON(&c->w, KT_STR("ph", phase), KT_STR("cat", category), KT_STR("name", name),
		KT_U64("pid", c->export->tracks.processes[track->process].number),
		KT_U64("tid", track->number));
	put_time(&c->w, "ts", time);
}

static const struct kt_track *thread_of(const struct chrome *c, uint32_t index)
{
	return &c->export->tracks.threads[index];
}

static const struct kt_track *channel_of(const struct chrome *c, uint32_t index)
{
	return &c->export->tracks.channels[index];
}

static void put_detail(struct chrome *c, const struct kt_timeline_event *event)
{
	if (event->detail != KT_TIMELINE_NONE) {
		KT_OBJECT(&c->w, "args",
			  KT_STR("detail", kt_export_name(c->export, event->detail)));
	}
}

static void put_edge(struct chrome *c, const struct kt_mark *mark)
{
	const struct kt_timeline_event *event = event_of(c, mark->index);
	const bool begins = mark->kind == KT_MARK_BEGIN;

	begin(c, begins ? "B" : "E", kt_export_kind_name(event->kind),
	      kt_export_name(c->export, event->name), mark->time,
	      thread_of(c, event->thread));
	if (begins) {
		put_detail(c, event);
	}
	kt_json_end(&c->w);
}

/*
 * Writes an event that takes no time: a doorbell on the track of its channel, any other
 * event on the track of its thread.
 */
static int put_instant(struct chrome *c, const struct kt_mark *mark)
{
	const struct kt_timeline_event *event = event_of(c, mark->index);
	char *commands = NULL;

	KT_TRY(kt_export_dwords(&commands, c->export, mark->index));
	begin(c, "i", kt_export_kind_name(event->kind),
	      kt_export_name(c->export, event->name), mark->time,
	      event->channel == KT_TIMELINE_NONE ? thread_of(c, event->thread)
						 : channel_of(c, event->channel));
	KT_JSON(&c->w, KT_STR("s", "t"));
	if (commands) {
		KT_OBJECT(&c->w, "args",
			  KT_STR("detail", kt_export_name(c->export, event->detail)),
			  KT_STR("commands", commands));
		free(commands);
	} else {
		put_detail(c, event);
	}
	kt_json_end(&c->w);
	return KT_OK;
}

/* --- requests --- */

static void put_depth(struct chrome *c, const struct kt_mark *mark, uint32_t channel)
{
	const struct kt_track *track = channel_of(c, channel);
	char name[600];

	snprintf(name, sizeof(name), "queue depth, %s", track->name);
	begin(c, "C", "queue", name, mark->time, track);
	KT_OBJECT(&c->w, "args", KT_U64("requests", c->depth[channel]));
	kt_json_end(&c->w);
}

/*
 * Writes the beginning or the end of a request. A request is a bar on its channel (phases b
 * and e, or n if its end is unknown), and an arrow (s and f) from the thread that submitted
 * it to the thread that noticed its completion.
 */
static void put_request(struct chrome *c, const struct kt_mark *mark)
{
	const struct kt_timeline_request *request = &c->export->requests[mark->index];
	const char *name = kt_export_name(c->export, request->name);
	const bool known = request->completed >= 0;
	const bool begins = mark->kind == KT_MARK_SUBMIT;
	const bool arrow = known && request->doorbell != KT_TIMELINE_NONE &&
			   request->noticed != KT_TIMELINE_NONE;

	begin(c,
	      !known   ? "n"
	      : begins ? "b"
		       : "e",
	      "request", name, mark->time, channel_of(c, request->channel));
	KT_JSON(&c->w, KT_U64("id", mark->index));
	if (begins) {
		KT_OBJECT(&c->w, "args", KT_U64("bytes", request->bytes),
			  KT_U64("copied", request->copied),
			  KT_U64("launches", request->launches),
			  KT_STR("kernel", kt_export_name(c->export, request->kernel)));
	} else {
		KT_OBJECT(&c->w, "args",
			  KT_STR("evidence", kt_export_name(c->export, request->sign)));
	}
	kt_json_end(&c->w);
	if (arrow) {
		const uint32_t thread =
			begins ? event_of(c, request->doorbell)->thread : request->noticed;

		begin(c, begins ? "s" : "f", "request", name, mark->time,
		      thread_of(c, thread));
		KT_JSON(&c->w, KT_U64("id", mark->index), KT_STR("bp", "e"));
		kt_json_end(&c->w);
	}
	if (known) {
		c->depth[request->channel] += begins ? 1 : (uint64_t)-1;
		put_depth(c, mark, request->channel);
	}
}

int kt_export_write_chrome(FILE *out, const void *export)
{
	const struct kt_export *x = export;
	struct chrome c = {.w.out = out, .export = x};
	int code = KT_OK;

	c.depth = calloc(x->tracks.n_channels + 1, sizeof(*c.depth));
	if (!c.depth) {
		return kt_no_memory("write trace events");
	}
	kt_json_object(&c.w, NULL);
	KT_JSON(&c.w, KT_STR("displayTimeUnit", "ns"));
	KT_OBJECT(&c.w, "otherData", KT_STR("exporter", "ktail " KTAIL_VERSION),
		  KT_STR("trace", x->timeline.traces[0].name));
	kt_json_rows(&c.w, "traceEvents");
	put_tracks(&c.w, &x->tracks);
	for (size_t i = 0; i < x->marks.n && !code; i++) {
		const struct kt_mark *mark = &x->marks.marks[i];

		switch (mark->kind) {
		case KT_MARK_BEGIN:
		case KT_MARK_END: put_edge(&c, mark); break;
		case KT_MARK_EVENT: code = put_instant(&c, mark); break;
		case KT_MARK_SUBMIT:
		case KT_MARK_COMPLETE: put_request(&c, mark); break;
		}
	}
	kt_json_end(&c.w);
	free(c.depth);
	return code ? code : kt_json_finish(&c.w, "write trace events");
}
