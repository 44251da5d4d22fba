/* SPDX-License-Identifier: MIT */
#include "base/try.h"
#include "corpus/softgpu/driver/api.h"
#include "corpus/softgpu/driver/work/event.h"
#include "corpus/softgpu/driver/work/graph.h"

kt_cu_result cuStreamCreate(kt_cu_stream *stream, unsigned flags)
{
	KT_API(cuStreamCreate);
	struct kt_context *context;
	struct kt_stream *made = NULL;
	int code = kt_enter(&context);

	if (code) {
		return code;
	}
	if (!stream || flags > KT_CU_STREAM_NON_BLOCKING) {
		return KT_CU_INVALID_VALUE;
	}
	code = kt_stream_create(&made, context, flags);
	if (!code) {
		*stream = (kt_cu_stream)made;
	}
	return code;
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

static int look_or_wait(kt_cu_stream stream, int (*act)(const struct kt_target *))
{
	struct kt_stream *found = kt_object_find(stream, KT_OBJECT_STREAM);
	struct kt_target target;

	if (found) { /* these need no current context but the stream's own */
		target = (struct kt_target){found->object.context, found->channel, found};
		KT_TRY(kt_enter_object(&found->object));
	} else {
		KT_TRY(kt_target_find(&target, stream));
	}
	KT_TRY(target.stream ? kt_capture_refuse(target.stream)
			     : kt_capture_implicit(target.context));
	return act(&target);
}

kt_cu_result cuStreamSynchronize(kt_cu_stream stream)
{
	KT_API(cuStreamSynchronize);

	return look_or_wait(stream, kt_target_wait);
}

kt_cu_result cuStreamQuery(kt_cu_stream stream)
{
	KT_API(cuStreamQuery);

	return look_or_wait(stream, kt_target_look);
}

kt_cu_result cuStreamWaitEvent(kt_cu_stream stream, kt_cu_event event, unsigned flags)
{
	KT_API(cuStreamWaitEvent);
	struct kt_event *found = kt_object_find(event, KT_OBJECT_EVENT);
	struct kt_target target;

	KT_TRY(kt_target_find(&target, stream));
	KT_TRY(kt_enter_object(found ? &found->object : NULL));
	if (flags > 1) { /* 1: external, of a capture */
		return KT_CU_INVALID_VALUE;
	}
	KT_TRY(target.stream ? kt_capture_refuse(target.stream)
			     : kt_capture_implicit(target.context));
	return kt_event_wait_in(found, &target);
}
