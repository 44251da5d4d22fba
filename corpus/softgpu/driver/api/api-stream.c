/* SPDX-License-Identifier: MIT */
#include "base/try.h"
#include "corpus/softgpu/driver/api.h"
#include "corpus/softgpu/driver/work/graph.h"

kt_cu_result cuStreamCreate(kt_cu_stream *stream, unsigned flags)
{
	KT_API(cuStreamCreate);
	struct kt_context *context;
	struct kt_stream *created = NULL;

	KT_TRY(kt_enter(&context));
	if (!stream || flags > KT_CU_STREAM_NON_BLOCKING) {
		return KT_CU_INVALID_VALUE;
	}
	KT_TRY(kt_stream_create(&created, context, flags));
	*stream = (kt_cu_stream)created;
	return KT_CU_OK;
}

kt_cu_result cuStreamDestroy(kt_cu_stream stream)
{
	KT_API(cuStreamDestroy);
	struct kt_stream *found = kt_object_find(stream, KT_OBJECT_STREAM);
	int code = kt_enter_object(found ? &found->object : NULL);

	if (code == KT_CU_NOT_INITIALIZED) {
		return code;
	}
	if (!kt_object_take(stream, KT_OBJECT_STREAM)) {
		return KT_CU_INVALID_HANDLE;
	}
	kt_stream_free(found);
	return code;
}

static int poll_or_wait(kt_cu_stream stream, int (*act)(const struct kt_target *))
{
	struct kt_stream *found = kt_object_find(stream, KT_OBJECT_STREAM);
	struct kt_target target;

	if (found) { /* these calls use the stream's context, not the current one */
		target = (struct kt_target){found->object.context, found->channel, found};
		KT_TRY(kt_enter_object(&found->object));
	} else {
		KT_TRY(kt_target_find(&target, stream));
	}
	KT_TRY(kt_capture_none(&target));
	return act(&target);
}

kt_cu_result cuStreamSynchronize(kt_cu_stream stream)
{
	KT_API(cuStreamSynchronize);

	return poll_or_wait(stream, kt_target_wait);
}

kt_cu_result cuStreamQuery(kt_cu_stream stream)
{
	KT_API(cuStreamQuery);

	return poll_or_wait(stream, kt_target_poll);
}

/* --- events --- */

kt_cu_result cuStreamWaitEvent(kt_cu_stream stream, kt_cu_event event, unsigned flags)
{
	KT_API(cuStreamWaitEvent);
	struct kt_event *found = kt_object_find(event, KT_OBJECT_EVENT);
	struct kt_target target;

	KT_TRY(kt_target_find(&target, stream));
	KT_TRY(kt_enter_object(found ? &found->object : NULL));
	if (flags > 1) { /* 1: external, for use in a capture */
		return KT_CU_INVALID_VALUE;
	}
	KT_TRY(kt_capture_none(&target));
	return kt_event_wait_in(found, &target);
}

enum { EVENT_FLAGS = 7 }; /* blocking, no timing, interprocess */

static int enter(struct kt_event **out, kt_cu_event handle)
{
	*out = kt_object_find(handle, KT_OBJECT_EVENT);
	return kt_enter_object(*out ? &(*out)->object : NULL);
}

kt_cu_result cuEventCreate(kt_cu_event *event, unsigned flags)
{
	KT_API(cuEventCreate);
	struct kt_context *context;
	struct kt_event *created = NULL;

	KT_TRY(kt_enter(&context));
	if (!event || flags > EVENT_FLAGS) {
		return KT_CU_INVALID_VALUE;
	}
	KT_TRY(kt_event_create(&created, context, flags));
	*event = (kt_cu_event)created;
	return KT_CU_OK;
}

kt_cu_result cuEventDestroy(kt_cu_event event)
{
	KT_API(cuEventDestroy);
	struct kt_event *found;
	int code = enter(&found, event);

	if (code == KT_CU_NOT_INITIALIZED) {
		return code;
	}
	if (!kt_object_take(event, KT_OBJECT_EVENT)) {
		return KT_CU_INVALID_HANDLE;
	}
	kt_event_free(found);
	return code;
}

kt_cu_result cuEventRecord(kt_cu_event event, kt_cu_stream stream)
{
	KT_API(cuEventRecord);
	struct kt_event *found;
	struct kt_target target;

	KT_TRY(kt_target_find(&target, stream));
	KT_TRY(enter(&found, event));
	if (found->object.context != target.context) {
		return KT_CU_INVALID_HANDLE;
	}
	KT_TRY(kt_capture_none(&target));
	return kt_event_record(found, &target);
}

kt_cu_result cuEventSynchronize(kt_cu_event event)
{
	KT_API(cuEventSynchronize);
	struct kt_event *found;

	KT_TRY(enter(&found, event));
	return kt_event_wait(found);
}

kt_cu_result cuEventQuery(kt_cu_event event)
{
	KT_API(cuEventQuery);
	struct kt_event *found;

	KT_TRY(enter(&found, event));
	return kt_event_poll(found);
}

static bool is_timed(struct kt_event *event)
{
	return kt_event_is_recorded(event) && !(event->flags & KT_CU_EVENT_DISABLE_TIMING);
}

static int elapsed(float *milliseconds, kt_cu_event start, kt_cu_event end)
{
	struct kt_event *first;
	struct kt_event *last;

	KT_TRY(enter(&first, start));
	KT_TRY(enter(&last, end));
	if (!milliseconds) {
		return KT_CU_INVALID_VALUE;
	}
	if (!is_timed(first) || !is_timed(last)) {
		return KT_CU_INVALID_HANDLE;
	}
	KT_TRY(kt_event_poll(first));
	KT_TRY(kt_event_poll(last));
	*milliseconds = (float)(int64_t)(kt_event_time(last) - kt_event_time(first)) / 1e6f;
	return KT_CU_OK;
}

kt_cu_result cuEventElapsedTime(float *milliseconds, kt_cu_event start, kt_cu_event end)
{
	KT_API(cuEventElapsedTime);

	return elapsed(milliseconds, start, end);
}

kt_cu_result cuEventElapsedTime_v2(float *milliseconds, kt_cu_event start, kt_cu_event end)
{
	KT_API(cuEventElapsedTime_v2);

	return elapsed(milliseconds, start, end);
}
