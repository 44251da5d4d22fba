/* SPDX-License-Identifier: MIT */
#include "annotate/events/activity-parts.h"

#include <stdlib.h>
#include <string.h>

#include <ktail/status.h>

#include "base/array.h"
#include "base/try.h"

/* --- events --- */

/* KT_ON_EVENTS: one that is not told by itself. */
static enum kt_annotate_event shape_of(const struct kt_event *event)
{
	const bool half = !event->call && (event->shape == KT_ON_API_ENTER ||
					   event->shape == KT_ON_API_EXIT);

	return half ? KT_ON_EVENTS : (enum kt_annotate_event)event->shape;
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
		      const struct kt_moment *moment, const struct kt_event *event)
{
	int code = KT_OK;

	switch (shape_of(event)) {
	case KT_ON_DOORBELL: return kt_activity_ring(a, life, moment, event);
	case KT_ON_API_ENTER: KT_TELL(code, a, call_enter, moment, moment->call) break;
	case KT_ON_PROCESS_END:
		TELL_FIELDS(process_end, kt_process_end_fields, kt_process_end_fields)
		KT_TRY(code);
		return kt_activity_give_up(a, life, moment);
	case KT_ON_COVERAGE:
		TELL_FIELDS(coverage, kt_coverage_fields, kt_coverage_fields) break;
	case KT_ON_MAP: TELL_FIELDS(map, kt_map_fields, kt_map_fields) break;
	case KT_ON_UNMAP: TELL_FIELDS(unmap, kt_unmap_fields, kt_unmap_fields) break;
	case KT_ON_ACCESS: TELL_FIELDS(access, kt_access_fields, kt_access_fields) break;
	case KT_ON_OBJECT: TELL_FIELDS(object, kt_object_fields, kt_object_fields) break;
	case KT_ON_DEVICE_OPEN:
		TELL_FIELDS(device_open, kt_device_fields, kt_device_open_fields)
		break;
	case KT_ON_DEVICE_CLOSE:
		TELL_FIELDS(device_close, kt_device_fields, kt_device_close_fields)
		break;
	case KT_ON_WAIT: TELL_FIELDS(wait, kt_wait_fields, kt_wait_fields) break;
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
	const enum kt_annotate_event shape = shape_of(event);
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
	if (gap || (shape != KT_ON_ENTRY && shape != KT_ON_WORDS)) {
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

		if (shape == KT_ON_PROCESS_BEGIN) {
			fields = kt_process_begin_fields(event);
		}
		KT_TELL(code, a, process_begin, &moment,
			shape == KT_ON_PROCESS_BEGIN ? &fields : NULL)
		KT_TRY(code);
	}
	/* What calls the event is told in. */
	if (shape == KT_ON_API_ENTER) {
		KT_TRY(kt_activity_open_call(a, life, &moment, event));
	} else if (shape == KT_ON_API_EXIT) {
		KT_TRY(kt_activity_find_exit(a, life, &moment, event, &returns));
	} else {
		moment.call = kt_activity_innermost(life, moment.tid);
	}
	a->moment = &moment;
	KT_TELL(code, a, event, &moment, event)
	KT_TRY(code);
	KT_TRY(tell_event(a, life, &moment, event));
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
