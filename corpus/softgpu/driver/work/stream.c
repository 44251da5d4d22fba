/* SPDX-License-Identifier: MIT */
#include "corpus/softgpu/driver/work/stream.h"

#include <stdlib.h>

#include "base/try.h"
#include "corpus/softgpu/driver/work/graph.h"
#include "corpus/softgpu/driver/api.h"

/*
 * Stream handles that the API defines as constants: the default stream, and the per-thread
 * default stream, which this driver treats as the default stream.
 */
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

int kt_target_submit_parts(const struct kt_target *target, const struct kt_push *push,
			   const size_t *parts, size_t n, uint64_t *value)
{
	uint64_t now = 0;

	KT_TRY(kt_submit_parts(target->channel, push, parts, n, &now));
	if (target->stream) {
		uint64_t last = atomic_load(&target->stream->last);

		/*
		 * Threads that share a stream may arrive here out of order, so `last` is
		 * never decreased.
		 */
		while (last < now &&
		       !atomic_compare_exchange_weak(&target->stream->last, &last, now)) {
		}
	}
	if (value) {
		*value = now;
	}
	return KT_CU_OK;
}

int kt_target_submit(const struct kt_target *target, const struct kt_push *push,
		     uint64_t *value)
{
	return kt_target_submit_parts(target, push, &push->n, 1, value);
}

/*
 * Payloads have 32 bits, so they cannot be compared with a very old value. Fewer than
 * KT_RING_ENTRIES submissions of a channel are pending, so the semaphore has reached the
 * newest value minus KT_RING_ENTRIES, which can replace every older value.
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

int kt_target_poll(const struct kt_target *target)
{
	struct kt_semaphore goal = goal_of(target);

	return kt_wait_poll(target->channel, &goal, goal.value);
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

/* --- events --- */

enum { SEMAPHORE_BYTES = 16, SEMAPHORE_TIME = 8 };

int kt_event_create(struct kt_event **out, struct kt_context *context, unsigned flags)
{
	struct kt_event *event = calloc(1, sizeof(*event));
	uint8_t channel;
	int code;

	if (!event) {
		return KT_CU_OUT_OF_MEMORY;
	}
	code = kt_semaphore_take(context, &event->semaphore);
	if (code) {
		free(event);
		return code;
	}
	event->flags = flags;
	pthread_mutex_init(&event->lock, NULL);
	pthread_mutex_lock(&context->lock);
	channel = context->semaphore_channels[event->semaphore.index];
	pthread_mutex_unlock(&context->lock);
	event->channel = channel ? &context->channels[channel - 1] : NULL;
	kt_object_add(&event->object, KT_OBJECT_EVENT, context);
	*out = event;
	return KT_CU_OK;
}

void kt_event_free(struct kt_event *event)
{
	struct kt_context *context = event->object.context;

	/*
	 * The event's last release may still be pending, so the channel that makes this
	 * release is kept for the next event that takes the semaphore.
	 */
	if (event->channel) {
		pthread_mutex_lock(&context->lock);
		context->semaphore_channels[event->semaphore.index] =
			(uint8_t)(event->channel->index + 1);
		pthread_mutex_unlock(&context->lock);
	}
	kt_semaphore_give(context, &event->semaphore);
	pthread_mutex_destroy(&event->lock);
	free(event);
}

int kt_event_record(struct kt_event *event, const struct kt_target *target)
{
	KT_SUBMITTING(RELEASE);
	struct kt_push push = {0};
	uint64_t address =
		kt_semaphore_address(event->object.context, event->semaphore.index);
	int code;

	pthread_mutex_lock(&event->lock);
	/*
	 * If the last release is in another channel, the target's channel waits for that
	 * release, which could otherwise execute after the new release and restore the
	 * older value.
	 */
	if (event->channel && event->channel != target->channel) {
		kt_push_acquire(&push, address, event->semaphore.value);
	}
	kt_push_release(&push, address, event->semaphore.value + 1);
	code = kt_target_submit(target, &push, NULL);
	kt_push_free(&push);
	if (!code) {
		event->semaphore.value++;
		event->channel = target->channel;
		event->recorded = true;
	}
	pthread_mutex_unlock(&event->lock);
	return code;
}

/* Gets the last record's semaphore and channel. Returns false if there is no record. */
static bool state_of(struct kt_event *event, struct kt_semaphore *semaphore,
		     struct kt_channel **channel)
{
	bool recorded;

	pthread_mutex_lock(&event->lock);
	*semaphore = event->semaphore;
	*channel = event->channel;
	recorded = event->recorded;
	pthread_mutex_unlock(&event->lock);
	return recorded;
}

int kt_event_wait_in(struct kt_event *event, const struct kt_target *target)
{
	KT_SUBMITTING(RELEASE);
	struct kt_semaphore semaphore;
	struct kt_channel *channel;
	struct kt_push push = {0};
	int code;

	if (!state_of(event, &semaphore, &channel) || channel == target->channel) {
		return KT_CU_OK; /* no record, or the channel keeps the order */
	}
	if (event->object.context != target->context) {
		return kt_wait(channel, &semaphore, semaphore.value);
	}
	kt_push_acquire(&push, kt_semaphore_address(event->object.context, semaphore.index),
			semaphore.value);
	code = kt_target_submit(target, &push, NULL);
	kt_push_free(&push);
	return code;
}

int kt_event_wait(struct kt_event *event)
{
	struct kt_semaphore semaphore;
	struct kt_channel *channel;

	if (!state_of(event, &semaphore, &channel)) {
		return KT_CU_OK;
	}
	return kt_wait_so(channel, &semaphore, semaphore.value,
			  event->flags & KT_CU_EVENT_BLOCKING_SYNC);
}

int kt_event_poll(struct kt_event *event)
{
	struct kt_semaphore semaphore;
	struct kt_channel *channel;

	if (!state_of(event, &semaphore, &channel)) {
		return KT_CU_OK;
	}
	return kt_wait_poll(channel, &semaphore, semaphore.value);
}

bool kt_event_is_recorded(struct kt_event *event)
{
	struct kt_semaphore semaphore;
	struct kt_channel *channel;

	return state_of(event, &semaphore, &channel);
}

uint64_t kt_event_time(struct kt_event *event)
{
	KT_LABEL(CHECK_PROGRESS);
	const struct kt_memory *memory = &event->object.context->semaphores;
	size_t at = (size_t)event->semaphore.index * SEMAPHORE_BYTES + SEMAPHORE_TIME;

	return *(const volatile uint64_t *)(memory->cpu + at);
}
