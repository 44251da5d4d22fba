/* SPDX-License-Identifier: MIT */
#include "annotate/events/activity-parts.h"

#include <stdlib.h>
#include <string.h>

#include <ktail/status.h>

#include "base/array.h"
#include "base/try.h"

/* --- events --- */

/* What is known of an event beside its name. */
enum event_kind {
	OTHER,
	PROCESS_BEGIN,
	PROCESS_END,
	API_ENTER,
	API_EXIT,
	COVERAGE,
	IOCTL,
	DEVICE_OPEN,
	DEVICE_CLOSE,
	OBJECT,
	MAP,
	UNMAP,
	ACCESS,
	WAIT,
	DOORBELL,
	ENTRY,
	WORDS,
};

static enum event_kind kind_of(const struct kt_event *event)
{
	static const struct {
		const char *name;
		enum event_kind kind;
	} kinds[] = {
		{"access", ACCESS},
		{"ioctl", IOCTL},
		{"doorbell", DOORBELL},
		{"gpfifo_entry", ENTRY},
		{"pushbuffer", WORDS},
		{"api_enter", API_ENTER},
		{"api_exit", API_EXIT},
		{"object", OBJECT},
		{"map", MAP},
		{"unmap", UNMAP},
		{"wait", WAIT},
		{"process_begin", PROCESS_BEGIN},
		{"process_end", PROCESS_END},
		{"device_open", DEVICE_OPEN},
		{"device_close", DEVICE_CLOSE},
		{"api_coverage", COVERAGE},
	};
	enum event_kind kind = OTHER;

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]) && !kind; i++) {
		if (strcmp(kinds[i].name, event->name) == 0) {
			kind = kinds[i].kind;
		}
	}
	if ((kind == API_ENTER && !kt_api_enter_is_whole(event)) ||
	    (kind == API_EXIT && !kt_api_exit_is_whole(event))) {
		kind = OTHER;
	}
	return kind;
}

static int tell_call(void *context, const struct kt_call *call)
{
	struct kt_activity *a = context;
	int code = KT_OK;

	KT_TELL(code, a, ioctl, a->moment, call)
	return code;
}

/* Tells of an event whose visitors get its fields. */
#define TELL_FIELDS(member, type, read)                                                    \
	{                                                                                  \
		const struct type fields = read(event);                                    \
                                                                                           \
		KT_TELL(code, a, member, moment, &fields)                                  \
	}

static int tell_event(struct kt_activity *a, struct kt_activity_life *life,
		      enum event_kind kind, const struct kt_moment *moment,
		      const struct kt_event *event)
{
	int code = KT_OK;

	switch (kind) {
	case DOORBELL: return kt_activity_ring(a, life, moment, event);
	case API_ENTER: KT_TELL(code, a, call_enter, moment, moment->call) break;
	case PROCESS_END:
		TELL_FIELDS(process_end, kt_process_end_fields, kt_process_end_fields)
		KT_TRY(code);
		return kt_activity_give_up(a, life, moment);
	case COVERAGE: TELL_FIELDS(coverage, kt_coverage_fields, kt_coverage_fields) break;
	case MAP: TELL_FIELDS(map, kt_map_fields, kt_map_fields) break;
	case UNMAP: TELL_FIELDS(unmap, kt_unmap_fields, kt_unmap_fields) break;
	case ACCESS: TELL_FIELDS(access, kt_access_fields, kt_access_fields) break;
	case OBJECT: TELL_FIELDS(object, kt_object_fields, kt_object_fields) break;
	case DEVICE_OPEN:
		TELL_FIELDS(device_open, kt_device_fields, kt_device_open_fields)
		break;
	case DEVICE_CLOSE:
		TELL_FIELDS(device_close, kt_device_fields, kt_device_close_fields)
		break;
	case WAIT: TELL_FIELDS(wait, kt_wait_fields, kt_wait_fields) break;
	default: break;
	}
	return code;
}

/* --- a life --- */

static int find_life(struct kt_activity *a, const struct kt_event *event,
		     struct kt_activity_life **out, bool *is_new)
{
	size_t need = (size_t)event->process + 1;
	struct kt_activity_life *life;

	KT_TRY(kt_array_reserve(&a->lives, &a->lives_capacity, need));
	while (a->n_lives < need) {
		a->lives[a->n_lives++] = NULL;
	}
	*out = a->lives[event->process];
	*is_new = !*out;
	if (!*is_new) {
		return KT_OK;
	}
	life = calloc(1, sizeof(*life));
	if (!life) {
		return kt_no_memory("read activity");
	}
	a->lives[event->process] = *out = life;
	a->totals->lives++;
	life->pid = event->pid;
	return kt_texts_printable(&a->texts, event->process_name, &life->process);
}

static int take(void *context, const struct kt_event *event)
{
	const enum event_kind kind = kind_of(event);
	struct kt_activity *a = context;
	struct kt_activity_life *life;
	bool is_new;
	bool gap;
	bool returns = false;
	int code = KT_OK;
	struct kt_moment moment = {
		.time = kt_reading_time(&a->totals->reading, event),
		.pid = event->pid,
		.tid = event->tid,
		.life = event->process,
		.seq = event->seq,
	};

	KT_TRY(find_life(a, event, &life, &is_new));
	moment.process = life->process;
	gap = !is_new && event->seq > life->next;
	if (a->totals->events++ == 0) {
		a->totals->submissions.reading.begin = a->totals->reading.begin;
		a->totals->ioctls.reading.begin = a->totals->reading.begin;
	}
	if (gap || (kind != ENTRY && kind != WORDS)) {
		KT_TRY(kt_activity_settle(a, life, event->process));
	}
	if (gap) {
		/* Events are missing: it is not known which calls are open. */
		KT_TRY(kt_activity_give_up(a, life, &moment));
		a->totals->gaps++;
		KT_TELL(code, a, gap, &moment, moment.seq - life->next)
		KT_TRY(code);
	}
	if (is_new) {
		struct kt_process_begin_fields fields = {0};

		if (kind == PROCESS_BEGIN) {
			fields = kt_process_begin_fields(event);
		}
		KT_TELL(code, a, process_begin, &moment,
			kind == PROCESS_BEGIN ? &fields : NULL)
		KT_TRY(code);
	}
	/* What calls the event is told in. */
	if (kind == API_ENTER) {
		KT_TRY(kt_activity_open_call(a, life, &moment, event));
	} else if (kind == API_EXIT) {
		KT_TRY(kt_activity_find_exit(a, life, &moment, event, &returns));
	} else {
		moment.call = kt_activity_innermost(life, moment.tid);
	}
	a->moment = &moment;
	KT_TELL(code, a, event, &moment, event)
	KT_TRY(code);
	KT_TRY(tell_event(a, life, kind, &moment, event));
	KT_TRY(kt_submission_feed_take(a->submissions, event));
	KT_TRY(a->code);
	KT_TRY(kt_call_feed_take(a->ioctls, event));
	if (returns) {
		KT_TRY(kt_activity_close_call(a, life, &moment, event));
	}
	life->next = event->seq >= life->next ? event->seq + 1 : life->next;
	life->time = moment.time;
	return KT_OK;
}

/* --- a trace --- */

int kt_activity_read(const char *path, const struct kt_activity_visitor *const *visitors,
		     void *const *contexts, size_t n, struct kt_activity_totals *totals)
{
	static const struct kt_selection all = {.process = NULL};
	struct kt_activity a = {
		.visitors = visitors, .contexts = contexts, .n = n, .totals = totals};
	int code;

	KT_TRY_END(kt_submission_feed_new(&a.submissions, &kt_activity_submission_visitor,
					  &a, &totals->submissions));
	KT_TRY_END(kt_call_feed_new(&a.ioctls, &all, tell_call, &a, &totals->ioctls));
	KT_TELL(code, &a, begin, path)
	KT_TRY_END(code);
	KT_TRY_END(kt_read_events(path, take, &a, &totals->reading));
	for (size_t i = 0; i < a.n_lives; i++) {
		struct kt_activity_life *life = a.lives[i];
		struct kt_moment moment = {.life = i, .seq = UINT64_MAX};

		if (life) {
			moment.time = life->time;
			moment.pid = life->pid;
			moment.process = life->process;
			KT_TRY_END(kt_activity_settle(&a, life, i));
			KT_TRY_END(kt_activity_give_up(&a, life, &moment));
		}
	}
end:
	totals->submissions.reading = totals->ioctls.reading = totals->reading;
	for (size_t i = 0; i < n; i++) {
		int ended = visitors[i]->end ? visitors[i]->end(contexts[i]) : KT_OK;

		if (!code) {
			code = ended;
		}
	}
	for (size_t i = 0; i < a.n_lives; i++) {
		if (a.lives[i]) {
			kt_activity_drop_calls(a.lives[i]);
			kt_work_free(&a.lives[i]->work);
			free(a.lives[i]);
		}
	}
	free(a.lives);
	kt_texts_free(&a.texts);
	kt_submission_feed_free(a.submissions);
	kt_call_feed_free(a.ioctls);
	return code;
}

void kt_activity_totals_free(struct kt_activity_totals *totals)
{
	kt_submission_totals_free(&totals->submissions);
}
