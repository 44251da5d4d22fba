/* SPDX-License-Identifier: MIT */
#include "annotate/events/activity-parts.h"

#include <stdlib.h>
#include <string.h>

#include <ktail/status.h>

#include "base/array.h"
#include "base/try.h"

/* --- events --- */

/*
 * Returns the event's shape. An api_enter or api_exit without correlation or name is not
 * treated as an API call: the result is KT_ON_EVENTS.
 */
static enum kt_annotate_event shape_of(const struct kt_event *event)
{
	const bool half = !event->call && (event->shape == KT_ON_API_ENTER ||
					   event->shape == KT_ON_API_EXIT);

	return half ? KT_ON_EVENTS : (enum kt_annotate_event)event->shape;
}

static int report_call(void *context, const struct kt_call *call)
{
	struct kt_activity *a = context;
	int code = KT_OK;

	KT_REPORT_PART(code, a, ioctl, a->moment, call)
	return code;
}

/* Passes the fields of the event to the callback `member` of the visitors. */
#define REPORT_FIELDS(member, type, read)                                                  \
	{                                                                                  \
		const struct type fields = read(event);                                    \
                                                                                           \
		KT_REPORT_PART(code, a, member, moment, &fields)                           \
	}

static void count_untraced(struct kt_activity *a, const struct kt_event *event)
{
	const struct kt_coverage_fields fields = kt_coverage_fields(event);

	if (strcmp(fields.state, "counted") == 0) {
		a->totals->counted += fields.calls;
	}
}

static int report_event(struct kt_activity *a, struct kt_activity_instance *instance,
			const struct kt_moment *moment, const struct kt_event *event)
{
	int code = KT_OK;

	switch (shape_of(event)) {
	case KT_ON_DOORBELL: return kt_activity_ring(a, instance, moment, event);
	case KT_ON_API_ENTER:
		KT_REPORT_PART(code, a, call_enter, moment, moment->call) break;
	case KT_ON_PROCESS_END:
		REPORT_FIELDS(process_end, kt_process_end_fields, kt_process_end_fields)
		KT_TRY(code);
		return kt_activity_give_up(a, instance, moment);
	case KT_ON_COVERAGE:
		count_untraced(a, event);
		REPORT_FIELDS(coverage, kt_coverage_fields, kt_coverage_fields) break;
	case KT_ON_KERNEL: REPORT_FIELDS(kernel, kt_kernel_fields, kt_kernel_fields) break;
	case KT_ON_VERSION:
		REPORT_FIELDS(version, kt_version_fields, kt_version_fields) break;
	case KT_ON_MAP: REPORT_FIELDS(map, kt_map_fields, kt_map_fields) break;
	case KT_ON_UNMAP: REPORT_FIELDS(unmap, kt_unmap_fields, kt_unmap_fields) break;
	case KT_ON_ACCESS: REPORT_FIELDS(access, kt_access_fields, kt_access_fields) break;
	case KT_ON_OBJECT: REPORT_FIELDS(object, kt_object_fields, kt_object_fields) break;
	case KT_ON_DEVICE_OPEN:
		REPORT_FIELDS(device_open, kt_device_fields, kt_device_open_fields)
		break;
	case KT_ON_DEVICE_CLOSE:
		REPORT_FIELDS(device_close, kt_device_fields, kt_device_close_fields)
		break;
	case KT_ON_REPORT: REPORT_FIELDS(report, kt_report_fields, kt_report_fields) break;
	case KT_ON_WAIT: REPORT_FIELDS(wait, kt_wait_fields, kt_wait_fields) break;
	default: break;
	}
	return code;
}

/* --- process instances --- */

static int find_instance(struct kt_activity *a, const struct kt_event *event,
			 struct kt_activity_instance **out, bool *is_new)
{
	size_t need = (size_t)event->process + 1;
	struct kt_activity_instance *instance;

	KT_TRY(kt_array_reserve(&a->instances, &a->instances_capacity, need));
	while (a->n_instances < need) {
		a->instances[a->n_instances++] = NULL;
	}
	*out = a->instances[event->process];
	*is_new = !*out;
	if (!*is_new) {
		return KT_OK;
	}
	instance = calloc(1, sizeof(*instance));
	if (!instance) {
		return kt_no_memory("read activity");
	}
	a->instances[event->process] = *out = instance;
	a->totals->instances++;
	instance->pid = event->pid;
	return kt_texts_printable(&a->texts, event->process_name, &instance->process);
}

static void note_detail(struct kt_activity_instance *instance, const struct kt_event *event,
			enum kt_annotate_event shape)
{
	struct kt_detail_fields fields;

	if (shape == KT_ON_DETAIL) {
		fields = kt_detail_fields(event);
		if (strcmp(fields.to, "off") == 0) {
			instance->given_up |= strcmp(fields.what, "access") == 0
						      ? KT_GAVE_UP_ACCESSES
						      : KT_GAVE_UP_COMMANDS;
		}
	}
}

static int take(void *context, const struct kt_event *event)
{
	const enum kt_annotate_event shape = shape_of(event);
	struct kt_activity *a = context;
	struct kt_activity_instance *instance;
	bool is_new;
	bool gap;
	bool returns = false;
	int code = KT_OK;
	struct kt_moment moment = {
		.time = kt_reading_time(&a->totals->reading, event),
		.pid = event->pid,
		.tid = event->tid,
		.instance = event->process,
		.seq = event->seq,
	};

	KT_TRY(find_instance(a, event, &instance, &is_new));
	moment.process = instance->process;
	note_detail(instance, event, shape);
	moment.given_up = instance->given_up;
	gap = !is_new && event->seq > instance->next;
	if (a->totals->events++ == 0) {
		a->totals->submissions.reading.begin = a->totals->reading.begin;
		a->totals->ioctls.reading.begin = a->totals->reading.begin;
	}
	if (gap || (shape != KT_ON_ENTRY && shape != KT_ON_WORDS)) {
		KT_TRY(kt_activity_settle(a, instance, event->process));
	}
	if (gap) {
		/* It is unknown which calls ended in the gap, so give up all open calls. */
		KT_TRY(kt_activity_give_up(a, instance, &moment));
		a->totals->gaps++;
		KT_REPORT(code, a, gap, &moment, moment.seq - instance->next)
		KT_TRY(code);
	}
	if (is_new) {
		struct kt_process_begin_fields fields = {0};

		if (shape == KT_ON_PROCESS_BEGIN) {
			fields = kt_process_begin_fields(event);
		}
		KT_REPORT(code, a, process_begin, &moment,
			  shape == KT_ON_PROCESS_BEGIN ? &fields : NULL)
		KT_TRY(code);
	}
	/* Find the API call that the event belongs to. */
	if (shape == KT_ON_API_ENTER) {
		KT_TRY(kt_activity_open_call(a, instance, &moment, event));
	} else if (shape == KT_ON_API_EXIT) {
		KT_TRY(kt_activity_find_exit(a, instance, &moment, event, &returns));
	} else {
		moment.call = kt_activity_innermost(instance, moment.tid);
	}
	a->moment = &moment;
	KT_REPORT(code, a, event, &moment, event)
	KT_TRY(code);
	KT_TRY(report_event(a, instance, &moment, event));
	KT_TRY(kt_submission_feed_take(a->submissions, event));
	KT_TRY(a->code);
	KT_TRY(kt_call_feed_take(a->ioctls, event));
	if (returns) {
		KT_TRY(kt_activity_close_call(a, instance, &moment, event));
	}
	instance->next = event->seq >= instance->next ? event->seq + 1 : instance->next;
	instance->time = moment.time;
	return KT_OK;
}

/* --- a trace --- */

int kt_activity_read(const char *path, const struct kt_activity_visitor *const *visitors,
		     void *const *contexts, size_t n, struct kt_activity_totals *totals)
{
	static const struct kt_trace_filter all = {.process = NULL};
	struct kt_activity a = {
		.visitors = visitors, .contexts = contexts, .n = n, .totals = totals};
	int code;

	KT_TRY_END(kt_submission_feed_new(&a.submissions, &kt_activity_submission_visitor,
					  &a, &totals->submissions));
	KT_TRY_END(kt_call_feed_new(&a.ioctls, &all, report_call, &a, &totals->ioctls));
	KT_REPORT(code, &a, begin, path)
	KT_TRY_END(code);
	KT_TRY_END(kt_read_events(path, take, &a, &totals->reading));
	for (size_t i = 0; i < a.n_instances; i++) {
		struct kt_activity_instance *instance = a.instances[i];
		struct kt_moment moment = {.instance = i, .seq = UINT64_MAX};

		if (instance) {
			moment.time = instance->time;
			moment.pid = instance->pid;
			moment.process = instance->process;
			moment.given_up = instance->given_up;
			KT_TRY_END(kt_activity_settle(&a, instance, i));
			KT_TRY_END(kt_activity_give_up(&a, instance, &moment));
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
	for (size_t i = 0; i < a.n_instances; i++) {
		if (a.instances[i]) {
			kt_activity_drop_calls(a.instances[i]);
			kt_work_free(&a.instances[i]->work);
			free(a.instances[i]);
		}
	}
	free(a.instances);
	free(a.calls_of);
	kt_texts_free(&a.texts);
	kt_submission_feed_free(a.submissions);
	kt_call_feed_free(a.ioctls);
	return code;
}

void kt_activity_totals_free(struct kt_activity_totals *totals)
{
	kt_submission_totals_free(&totals->submissions);
}
