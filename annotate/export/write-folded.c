/* SPDX-License-Identifier: MIT */
/*
 * Folded stacks, as flamegraph.pl reads them (github.com/brendangregg/FlameGraph): a line
 * for each stack, with its frames, the outermost first, and the weight of what happened in
 * the innermost frame itself.
 */
#include "annotate/export/export.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <ktail/status.h>

#include "base/array.h"
#include "base/try.h"

/* Deeper calls, which only damaged traces have, are left out of a stack. */
#define DEEPEST 64

struct folded {
	const struct kt_export *export;
	struct kt_texts stacks;
	uint64_t *weights; /* Owned by this: by number of the stack */
	size_t n;
	size_t capacity;
	char *text; /* Owned by this: the stack that is being made */
	size_t size;
	size_t used;
};

/* Appends a frame to the stack. */
static int push(struct folded *f, const char *name)
{
	const size_t n = strlen(name);

	KT_TRY(kt_array_reserve(&f->text, &f->size, f->used + n + 2));
	if (f->used > 0) {
		f->text[f->used++] = ';';
	}
	for (size_t i = 0; i < n; i++) {
		f->text[f->used++] = name[i] == ';' ? ':' : name[i];
	}
	f->text[f->used] = '\0';
	return KT_OK;
}

static void cut(struct folded *f, size_t used)
{
	f->used = used;
	f->text[used] = '\0';
}

static int add(struct folded *f, uint64_t weight)
{
	uint32_t number;

	if (weight == 0) {
		return KT_OK;
	}
	KT_TRY(kt_texts_add(&f->stacks, f->text, &number));
	KT_TRY(kt_array_reserve(&f->weights, &f->capacity, (size_t)number + 1));
	while (f->n <= number) {
		f->weights[f->n++] = 0;
	}
	f->weights[number] += weight;
	return KT_OK;
}

static int push_process(struct folded *f, uint32_t process)
{
	f->used = 0;
	return push(f, f->export->tracks.processes[process].name);
}

/* --- time --- */

/* Adds the time that each span of a thread spent in itself. */
static int fold_thread(struct folded *f, size_t thread, size_t *lengths)
{
	const struct kt_export *x = f->export;
	const struct kt_spans *spans = &x->spans;
	char frame[KT_EXPORT_FRAME];
	size_t depth = 0;
	int64_t since = 0;

	KT_TRY(push_process(f, x->tracks.threads[thread].process));
	for (size_t i = spans->begins[thread]; i < spans->begins[thread + 1]; i++) {
		const struct kt_span_edge *edge = &spans->edges[i];

		if (depth > 0) {
			KT_TRY(add(f, (uint64_t)(edge->time - since)));
		}
		since = edge->time;
		if (edge->end) {
			cut(f, lengths[--depth]);
		} else {
			lengths[depth] = f->used;
			if (depth < DEEPEST) {
				KT_TRY(push(f, kt_export_frame(frame, x, edge->event)));
			}
			depth++;
		}
	}
	return KT_OK;
}

static int fold_time(struct folded *f)
{
	const struct kt_spans *spans = &f->export->spans;
	/* Length of the stack's text before each open span. */
	size_t *lengths = calloc(spans->begins[spans->n_threads] + 1, sizeof(*lengths));
	int code = lengths ? KT_OK : kt_no_memory("fold stacks");

	for (size_t i = 0; i < spans->n_threads && !code; i++) {
		code = fold_thread(f, i, lengths);
	}
	free(lengths);
	return code;
}

/* --- doorbells, bytes --- */

/* Makes the stack of an event that takes no time: its process, the calls around it, `name`.
 */
static int push_event(struct folded *f, uint32_t index, const char *name)
{
	const struct kt_timeline_events *e = &f->export->timeline.events;
	const struct kt_timeline_event *event = &e->events[index];
	uint32_t calls[DEEPEST];
	size_t n = 0;

	for (uint32_t call = event->call; call != KT_TIMELINE_NONE && n < DEEPEST;
	     call = e->events[call].call) {
		calls[n++] = call;
	}
	KT_TRY(push_process(f, f->export->tracks.threads[event->thread].process));
	while (n > 0) {
		KT_TRY(push(f, kt_export_name(f->export, e->events[calls[--n]].name)));
	}
	return push(f, name);
}

static int fold_doorbells(struct folded *f)
{
	const struct kt_timeline_events *e = &f->export->timeline.events;

	for (size_t i = 0; i < e->n; i++) {
		if (e->events[i].kind == KT_TIMELINE_DOORBELL) {
			KT_TRY(push_event(f, (uint32_t)i, "doorbell"));
			KT_TRY(add(f, 1));
		}
	}
	return KT_OK;
}

static int fold_bytes(struct folded *f)
{
	const struct kt_export *x = f->export;

	for (size_t i = 0; i < x->n_requests; i++) {
		const struct kt_timeline_request *request = &x->requests[i];

		if (request->doorbell != KT_TIMELINE_NONE) {
			KT_TRY(push_event(f, request->doorbell, "doorbell"));
		} else {
			KT_TRY(push_process(f,
					    x->tracks.channels[request->channel].process));
			KT_TRY(push(f, "no doorbell"));
		}
		KT_TRY(add(f, request->bytes));
	}
	return KT_OK;
}

int kt_export_write_folded(FILE *out, const void *export)
{
	static const char *const weights[] = {"time in calls, ioctls or waits", "doorbells",
					      "commands"};
	struct folded f = {.export = export};
	int code = f.export->options->weight == KT_WEIGHT_TIME        ? fold_time(&f)
		   : f.export->options->weight == KT_WEIGHT_DOORBELLS ? fold_doorbells(&f)
								      : fold_bytes(&f);

	if (!code && f.n == 0) {
		code = kt_error(KT_E_EMPTY, "the traces have no %s",
				weights[f.export->options->weight]);
	}
	for (size_t i = 0; i < f.n && !code; i++) {
		fprintf(out, "%s %" PRIu64 "\n", f.stacks.items[i], f.weights[i]);
	}
	if (!code && ferror(out)) {
		code = kt_error_errno(KT_E_IO, "write stacks");
	}
	kt_texts_free(&f.stacks);
	free(f.weights);
	free(f.text);
	return code;
}
