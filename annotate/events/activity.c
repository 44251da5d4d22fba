/* SPDX-License-Identifier: MIT */
#include "annotate/events/activity-parts.h"

#include <stdlib.h>
#include <string.h>

#include <ktail/status.h>

#include "base/array.h"

/* --- events --- */

static const struct {
	const char *name;
	enum kt_activity_event kind;
} kinds[] = {
	{"access", KT_ACTIVITY_ACCESS},
	{"ioctl", KT_ACTIVITY_IOCTL},
	{"doorbell", KT_ACTIVITY_DOORBELL},
	{"gpfifo_entry", KT_ACTIVITY_ENTRY},
	{"pushbuffer", KT_ACTIVITY_WORDS},
	{"api_enter", KT_ACTIVITY_API_ENTER},
	{"api_exit", KT_ACTIVITY_API_EXIT},
	{"object", KT_ACTIVITY_OBJECT},
	{"map", KT_ACTIVITY_MAP},
	{"unmap", KT_ACTIVITY_UNMAP},
	{"wait", KT_ACTIVITY_WAIT},
	{"process_begin", KT_ACTIVITY_PROCESS_BEGIN},
	{"process_end", KT_ACTIVITY_PROCESS_END},
	{"device_open", KT_ACTIVITY_DEVICE_OPEN},
	{"device_close", KT_ACTIVITY_DEVICE_CLOSE},
	{"api_coverage", KT_ACTIVITY_COVERAGE},
};

static enum kt_activity_event kind_by_name(const struct kt_event *event)
{
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		if (strcmp(kinds[i].name, event->name) == 0) {
			return kinds[i].kind;
		}
	}
	return KT_ACTIVITY_OTHER;
}

static enum kt_activity_event kind_of(const struct kt_event *event)
{
	enum kt_activity_event kind = kind_by_name(event);
	bool whole = true;

	if (kind == KT_ACTIVITY_API_ENTER) {
		whole = kt_api_enter_is_whole(event);
	} else if (kind == KT_ACTIVITY_API_EXIT) {
		whole = kt_api_exit_is_whole(event);
	}
	return whole ? kind : KT_ACTIVITY_OTHER;
}

static int tell_call(void *context, const struct kt_call *call)
{
	struct kt_activity *a = context;
	int code = KT_OK;

	KT_TELL(code, a, ioctl, a->moment, call)
	return code;
}

static int tell_memory(struct kt_activity *a, enum kt_activity_event kind,
		       const struct kt_moment *moment, const struct kt_event *event)
{
	int code = KT_OK;

	if (kind == KT_ACTIVITY_MAP) {
		const struct kt_map_fields fields = kt_map_fields(event);

		KT_TELL(code, a, map, moment, &fields)
	} else if (kind == KT_ACTIVITY_UNMAP) {
		const struct kt_unmap_fields fields = kt_unmap_fields(event);

		KT_TELL(code, a, unmap, moment, &fields)
	} else if (kind == KT_ACTIVITY_ACCESS) {
		const struct kt_access_fields fields = kt_access_fields(event);

		KT_TELL(code, a, access, moment, &fields)
	} else {
		const struct kt_object_fields fields = kt_object_fields(event);

		KT_TELL(code, a, object, moment, &fields)
	}
	return code;
}

static int tell_device(struct kt_activity *a, enum kt_activity_event kind,
		       const struct kt_moment *moment, const struct kt_event *event)
{
	int code = KT_OK;

	if (kind == KT_ACTIVITY_DEVICE_OPEN) {
		const struct kt_device_fields fields = kt_device_open_fields(event);

		KT_TELL(code, a, device_open, moment, &fields)
	} else if (kind == KT_ACTIVITY_DEVICE_CLOSE) {
		const struct kt_device_fields fields = kt_device_close_fields(event);

		KT_TELL(code, a, device_close, moment, &fields)
	} else {
		const struct kt_wait_fields fields = kt_wait_fields(event);

		KT_TELL(code, a, wait, moment, &fields)
	}
	return code;
}

static int tell_process_end(struct kt_activity *a, struct kt_activity_life *life,
			    const struct kt_moment *moment, const struct kt_event *event)
{
	const struct kt_process_end_fields fields = kt_process_end_fields(event);
	int code = KT_OK;

	KT_TELL(code, a, process_end, moment, &fields)
	return code ? code : kt_activity_give_up(a, life, moment);
}

static int tell_coverage(struct kt_activity *a, const struct kt_moment *moment,
			 const struct kt_event *event)
{
	const struct kt_coverage_fields fields = kt_coverage_fields(event);
	int code = KT_OK;

	KT_TELL(code, a, coverage, moment, &fields)
	return code;
}

static int tell_enter(struct kt_activity *a, const struct kt_moment *moment)
{
	int code = KT_OK;

	KT_TELL(code, a, call_enter, moment, moment->call)
	return code;
}

static int tell_event(struct kt_activity *a, struct kt_activity_life *life,
		      enum kt_activity_event kind, const struct kt_moment *moment,
		      const struct kt_event *event)
{
	switch (kind) {
	case KT_ACTIVITY_DOORBELL: return kt_activity_ring(a, life, moment, event);
	case KT_ACTIVITY_API_ENTER: return tell_enter(a, moment);
	case KT_ACTIVITY_PROCESS_END: return tell_process_end(a, life, moment, event);
	case KT_ACTIVITY_COVERAGE: return tell_coverage(a, moment, event);
	case KT_ACTIVITY_MAP:
	case KT_ACTIVITY_UNMAP:
	case KT_ACTIVITY_ACCESS:
	case KT_ACTIVITY_OBJECT: return tell_memory(a, kind, moment, event);
	case KT_ACTIVITY_DEVICE_OPEN:
	case KT_ACTIVITY_DEVICE_CLOSE:
	case KT_ACTIVITY_WAIT: return tell_device(a, kind, moment, event);
	default: return KT_OK;
	}
}

/* --- a life --- */

static int find_life(struct kt_activity *a, const struct kt_event *event,
		     struct kt_activity_life **out, bool *is_new)
{
	size_t need = (size_t)event->process + 1;
	struct kt_activity_life *life;
	int code = kt_array_reserve(&a->lives, &a->lives_capacity, need);

	while (!code && a->n_lives < need) {
		a->lives[a->n_lives++] = NULL;
	}
	*is_new = !code && !a->lives[event->process];
	if (code || !*is_new) {
		*out = code ? NULL : a->lives[event->process];
		return code;
	}
	life = calloc(1, sizeof(*life));
	if (!life) {
		return kt_error(KT_E_MEMORY, "read activity: out of memory");
	}
	a->lives[event->process] = *out = life;
	a->totals->lives++;
	life->pid = event->pid;
	return kt_texts_printable(&a->texts, event->process_name, &life->process);
}

static int begin_life(struct kt_activity *a, const struct kt_moment *moment,
		      const struct kt_event *event, enum kt_activity_event kind)
{
	struct kt_process_begin_fields fields;
	const struct kt_process_begin_fields *known = NULL;
	int code = KT_OK;

	if (kind == KT_ACTIVITY_PROCESS_BEGIN) {
		fields = kt_process_begin_fields(event);
		known = &fields;
	}
	KT_TELL(code, a, process_begin, moment, known)
	return code;
}

/* Events are missing: which calls are open, nobody knows. */
static int skip(struct kt_activity *a, struct kt_activity_life *life,
		const struct kt_moment *moment)
{
	int code = kt_activity_give_up(a, life, moment);

	a->totals->gaps++;
	KT_TELL(code, a, gap, moment, moment->seq - life->next)
	return code;
}

/* All that must be done in front of telling what the event is. */
static int prepare(struct kt_activity *a, struct kt_activity_life *life,
		   struct kt_moment *moment, const struct kt_event *event,
		   enum kt_activity_event kind, bool *returns)
{
	if (kind == KT_ACTIVITY_API_ENTER) {
		return kt_activity_open_call(a, life, moment, event);
	}
	if (kind == KT_ACTIVITY_API_EXIT) {
		return kt_activity_find_exit(a, life, moment, event, returns);
	}
	moment->call = kt_activity_innermost(life, moment->tid);
	return KT_OK;
}

static int take_known(struct kt_activity *a, struct kt_activity_life *life,
		      struct kt_moment *moment, const struct kt_event *event,
		      enum kt_activity_event kind)
{
	bool returns = false;
	int code = prepare(a, life, moment, event, kind, &returns);

	a->moment = moment;
	KT_TELL(code, a, event, moment, event)
	code = code ? code : tell_event(a, life, kind, moment, event);
	code = code ? code : kt_submission_feed_take(a->submissions, event);
	code = code ? code : a->code;
	code = code ? code : kt_call_feed_take(a->ioctls, event);
	if (!code && returns) {
		code = kt_activity_close_call(a, life, moment, event);
	}
	return code;
}

static int take(void *context, const struct kt_event *event)
{
	const enum kt_activity_event kind = kind_of(event);
	struct kt_activity *a = context;
	struct kt_activity_life *life = NULL;
	bool is_new;
	bool gap;
	int code = find_life(a, event, &life, &is_new);
	struct kt_moment moment = {
		.time = kt_reading_time(&a->totals->reading, event),
		.pid = event->pid,
		.tid = event->tid,
		.life = event->process,
		.seq = event->seq,
	};

	if (code) {
		return code;
	}
	moment.process = life->process;
	gap = !is_new && event->seq > life->next;
	if (a->totals->events++ == 0) {
		a->totals->submissions.reading.begin = a->totals->reading.begin;
		a->totals->ioctls.reading.begin = a->totals->reading.begin;
	}
	if (gap || (kind != KT_ACTIVITY_ENTRY && kind != KT_ACTIVITY_WORDS)) {
		code = kt_activity_settle(a, life, event->process);
	}
	if (!code && gap) {
		code = skip(a, life, &moment);
	}
	if (!code && is_new) {
		code = begin_life(a, &moment, event, kind);
	}
	code = code ? code : take_known(a, life, &moment, event, kind);
	life->next = event->seq >= life->next ? event->seq + 1 : life->next;
	life->time = moment.time;
	return code;
}

/* --- a trace --- */

static int end_lives(struct kt_activity *a)
{
	int code = KT_OK;

	for (size_t i = 0; i < a->n_lives && !code; i++) {
		struct kt_activity_life *life = a->lives[i];
		struct kt_moment moment = {.life = i, .seq = UINT64_MAX};

		if (life) {
			moment.time = life->time;
			moment.pid = life->pid;
			moment.process = life->process;
			code = kt_activity_settle(a, life, i);
			code = code ? code : kt_activity_give_up(a, life, &moment);
		}
	}
	return code;
}

static void clear(struct kt_activity *a)
{
	for (size_t i = 0; i < a->n_lives; i++) {
		if (a->lives[i]) {
			kt_activity_drop_calls(a->lives[i]);
			kt_work_free(&a->lives[i]->work);
			free(a->lives[i]);
		}
	}
	free(a->lives);
	kt_texts_free(&a->texts);
	kt_submission_feed_free(a->submissions);
	kt_call_feed_free(a->ioctls);
}

static int make_feeds(struct kt_activity *a)
{
	static const struct kt_selection all = {.process = NULL};
	int code = kt_submission_feed_new(&a->submissions, &kt_activity_submission_visitor,
					  a, &a->totals->submissions);

	return code ? code
		    : kt_call_feed_new(&a->ioctls, &all, tell_call, a, &a->totals->ioctls);
}

static int read_trace(struct kt_activity *a, const char *path)
{
	int code = KT_OK;

	KT_TELL(code, a, begin, path)
	code = code ? code : kt_read_events(path, take, a, &a->totals->reading);
	return code ? code : end_lives(a);
}

int kt_activity_read(const char *path, const struct kt_activity_visitor *const *visitors,
		     void *const *contexts, size_t n, struct kt_activity_totals *totals)
{
	struct kt_activity a = {
		.visitors = visitors, .contexts = contexts, .n = n, .totals = totals};
	int code = make_feeds(&a);

	code = code ? code : read_trace(&a, path);
	totals->submissions.reading = totals->ioctls.reading = totals->reading;
	for (size_t i = 0; i < n; i++) {
		if (visitors[i]->end) {
			int ended = visitors[i]->end(contexts[i]);

			code = code ? code : ended;
		}
	}
	clear(&a);
	return code;
}

void kt_activity_totals_free(struct kt_activity_totals *totals)
{
	kt_submission_totals_free(&totals->submissions);
}
