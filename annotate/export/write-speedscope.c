/* SPDX-License-Identifier: MIT */
/*
 * The file format of speedscope (https://www.speedscope.app/file-format-schema.json): one
 * evented profile for each thread, whose frames are calls, ioctls and waits.
 */
#include "annotate/export/export.h"

#include <inttypes.h>
#include <stdlib.h>

#include <ktail/status.h>

#include "base/json-writer.h"
#include "base/try.h"

struct speedscope {
	struct kt_json_writer w;
	const struct kt_export *export;
	struct kt_texts frames;
	uint32_t *frame_of; /* Owned by this: the frame of each edge of a span */
};

/* Collects the frames: one for each name. */
static int collect_frames(struct speedscope *to)
{
	const struct kt_spans *spans = &to->export->spans;
	const size_t n = spans->begins[spans->n_threads];
	char frame[KT_EXPORT_FRAME];

	to->frame_of = calloc(n + 1, sizeof(*to->frame_of));
	if (!to->frame_of) {
		return kt_no_memory("write profiles");
	}
	for (size_t i = 0; i < n; i++) {
		KT_TRY(kt_texts_add(
			&to->frames,
			kt_export_frame(frame, to->export, spans->edges[i].event),
			&to->frame_of[i]));
	}
	/* The viewer refuses a file without a profile. */
	return n > 0 ? KT_OK
		     : kt_error(KT_E_EMPTY, "the traces have no calls, ioctls or waits");
}

static void put_profile(struct speedscope *to, size_t thread)
{
	struct kt_json_writer *w = &to->w;
	const struct kt_export *x = to->export;
	const struct kt_spans *spans = &x->spans;
	const struct kt_track *track = &x->tracks.threads[thread];
	const size_t begin = spans->begins[thread];
	const size_t end = spans->begins[thread + 1];
	char name[512];

	snprintf(name, sizeof(name), "%s, %s", x->tracks.processes[track->process].name,
		 track->name);
	kt_json_object(w, NULL);
	KT_JSON(w, KT_STR("type", "evented"), KT_STR("name", name),
		KT_STR("unit", "nanoseconds"),
		KT_I64("startValue", spans->edges[begin].time),
		KT_I64("endValue", spans->edges[end - 1].time));
	kt_json_rows(w, "events");
	for (size_t i = begin; i < end; i++) {
		const struct kt_span_edge *edge = &spans->edges[i];

		KT_OBJECT(w, NULL, KT_STR("type", edge->end ? "C" : "O"),
			  KT_U64("frame", to->frame_of[i]), KT_I64("at", edge->time));
	}
	kt_json_end(w);
	kt_json_end(w);
}

static int put_all(struct speedscope *to)
{
	const struct kt_export *x = to->export;
	struct kt_json_writer *w = &to->w;

	KT_TRY(collect_frames(to));
	kt_json_object(w, NULL);
	KT_JSON(w, KT_STR("$schema", "https://www.speedscope.app/file-format-schema.json"),
		KT_STR("name", x->timeline.traces[0].name),
		KT_STR("exporter", "ktail " KTAIL_VERSION));
	kt_json_object(w, "shared");
	kt_json_rows(w, "frames");
	for (size_t i = 0; i < to->frames.n; i++) {
		KT_OBJECT(w, NULL, KT_STR("name", to->frames.items[i]));
	}
	kt_json_end(w);
	kt_json_end(w);
	kt_json_rows(w, "profiles");
	for (size_t i = 0; i < x->spans.n_threads; i++) {
		if (x->spans.begins[i] < x->spans.begins[i + 1]) {
			put_profile(to, i);
		}
	}
	kt_json_end(w);
	return kt_json_finish(w, "write profiles");
}

int kt_export_write_speedscope(FILE *out, const void *export)
{
	struct speedscope to = {.w.out = out, .export = export};
	const int code = put_all(&to);

	kt_texts_free(&to.frames);
	free(to.frame_of);
	return code;
}
