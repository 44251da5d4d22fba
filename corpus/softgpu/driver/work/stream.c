/* SPDX-License-Identifier: MIT */
#include "corpus/softgpu/driver/work/stream.h"

#include <stdlib.h>

#include "base/try.h"
#include "corpus/softgpu/driver/work/graph.h"
#include "corpus/softgpu/driver/api.h"

/* Handles that the interface defines: the default stream by a name, and one per thread,
 * which is the default stream here. */
#define STREAM_LEGACY     1u
#define STREAM_PER_THREAD 2u

struct kt_target kt_target_default(struct kt_context *context)
{
	return (struct kt_target){.context = context, .channel = &context->channels[0]};
}

int kt_target_find(struct kt_target *out, kt_cu_stream handle)
{
	struct kt_context *context;
	struct kt_stream *stream;

	KT_TRY(kt_enter(&context));
	if ((uintptr_t)handle <= STREAM_PER_THREAD) {
		*out = kt_target_default(context);
		return KT_CU_OK;
	}
	stream = kt_object_find(handle, KT_OBJECT_STREAM);
	if (!stream || stream->object.context != context) {
		return KT_CU_INVALID_HANDLE;
	}
	*out = (struct kt_target){context, stream->channel, stream};
	return KT_CU_OK;
}

static int submitted(const struct kt_target *target, int code, uint64_t now,
		     uint64_t *value)
{
	if (!code && target->stream) {
		uint64_t last = atomic_load(&target->stream->last);

		/* Threads that share a stream may come here out of order. */
		while (last < now &&
		       !atomic_compare_exchange_weak(&target->stream->last, &last, now)) {
		}
	}
	if (!code && value) {
		*value = now;
	}
	return code;
}

int kt_target_submit(const struct kt_target *target, const struct kt_push *push,
		     uint64_t *value)
{
	uint64_t now = 0;
	int code =
		push->failed ? KT_CU_OUT_OF_MEMORY : kt_submit(target->channel, push, &now);

	return submitted(target, code, now, value);
}

int kt_target_submit_parts(const struct kt_target *target, const struct kt_push *push,
			   const size_t *parts, size_t n, uint64_t *value)
{
	uint64_t now = 0;
	int code = push->failed ? KT_CU_OUT_OF_MEMORY
				: kt_submit_parts(target->channel, push, parts, n, &now);

	return submitted(target, code, now, value);
}

/*
 * Payloads have 32 bits, so a value from long ago must not be compared. But a channel has
 * at most a full ring under way: what is older is done when what was a ring ago is.
 */
struct kt_semaphore kt_progress_goal(struct kt_channel *channel, uint64_t value)
{
	struct kt_semaphore goal;

	pthread_mutex_lock(&channel->lock);
	goal = channel->progress;
	pthread_mutex_unlock(&channel->lock);
	if (value + KT_RING_ENTRIES < goal.value) {
		value = goal.value - KT_RING_ENTRIES;
	}
	goal.value = value < goal.value ? value : goal.value;
	return goal;
}

static struct kt_semaphore goal_of(const struct kt_target *target)
{
	uint64_t value =
		target->stream ? atomic_load(&target->stream->last) : UINT64_MAX / 2;

	return kt_progress_goal(target->channel, value);
}

int kt_target_wait(const struct kt_target *target)
{
	struct kt_semaphore goal = goal_of(target);

	return kt_wait(target->channel, &goal, goal.value);
}

int kt_target_look(const struct kt_target *target)
{
	struct kt_semaphore goal = goal_of(target);

	return kt_wait_look(target->channel, &goal, goal.value);
}

int kt_stream_create(struct kt_stream **out, struct kt_context *context, unsigned flags)
{
	struct kt_stream *stream = calloc(1, sizeof(*stream));
	unsigned index = 0;

	if (!stream) {
		return KT_CU_OUT_OF_MEMORY;
	}
	if (flags & KT_CU_STREAM_NON_BLOCKING) {
		pthread_mutex_lock(&context->lock);
		index = 1 + context->next_channel++ % (KT_CHANNELS - 1);
		pthread_mutex_unlock(&context->lock);
	}
	stream->channel = &context->channels[index];
	kt_object_add(&stream->object, KT_OBJECT_STREAM, context);
	*out = stream;
	return KT_CU_OK;
}

void kt_stream_free(struct kt_stream *stream)
{
	kt_capture_drop(stream);
	free(stream);
}
