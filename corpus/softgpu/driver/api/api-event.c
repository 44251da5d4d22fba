/* SPDX-License-Identifier: MIT */
#include "base/try.h"
#include "corpus/softgpu/driver/api.h"
#include "corpus/softgpu/driver/work/event.h"
#include "corpus/softgpu/driver/work/graph.h"

enum { EVENT_FLAGS = 7 }; /* blocking, no timing, between processes */

static int enter(struct kt_event **out, kt_cu_event handle)
{
	*out = kt_object_find(handle, KT_OBJECT_EVENT);
	return kt_enter_object(*out ? &(*out)->object : NULL);
}

kt_cu_result cuEventCreate(kt_cu_event *event, unsigned flags)
{
	KT_API(cuEventCreate);
	struct kt_context *context;
	struct kt_event *made = NULL;
	int code = kt_enter(&context);

	if (code) {
		return code;
	}
	if (!event || flags > EVENT_FLAGS) {
		return KT_CU_INVALID_VALUE;
	}
	code = kt_event_create(&made, context, flags);
	if (!code) {
		*event = (kt_cu_event)made;
	}
	return code;
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
	int code = kt_target_find(&target, stream);

	if (!code) {
		code = enter(&found, event);
	}
	if (!code && found->object.context != target.context) {
		code = KT_CU_INVALID_HANDLE;
	}
	if (!code) {
		code = target.stream ? kt_capture_refuse(target.stream)
				     : kt_capture_implicit(target.context);
	}
	return code ? code : kt_event_record(found, &target);
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
	return kt_event_look(found);
}

static bool is_timed(struct kt_event *event)
{
	return kt_event_is_recorded(event) && !(event->flags & KT_CU_EVENT_DISABLE_TIMING);
}

static int elapsed(float *milliseconds, kt_cu_event start, kt_cu_event end)
{
	struct kt_event *first;
	struct kt_event *last;
	int code = enter(&first, start);

	if (!code) {
		code = enter(&last, end);
	}
	if (code) {
		return code;
	}
	if (!milliseconds) {
		return KT_CU_INVALID_VALUE;
	}
	if (!is_timed(first) || !is_timed(last)) {
		return KT_CU_INVALID_HANDLE;
	}
	code = kt_event_look(first);
	if (!code) {
		code = kt_event_look(last);
	}
	if (!code) {
		*milliseconds =
			(float)(int64_t)(kt_event_time(last) - kt_event_time(first)) / 1e6f;
	}
	return code;
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
