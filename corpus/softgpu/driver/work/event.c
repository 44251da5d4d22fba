/* SPDX-License-Identifier: MIT */
#include "corpus/softgpu/driver/work/event.h"

#include <stdlib.h>

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

	/* Its last release may be on its way: who gets the semaphore next is to know. */
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
	/* A release in another channel than the last one waits for that, or the semaphore
	 * would fall back to the older value if it comes later. */
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

/* What was last recorded; false: nothing. */
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
		return KT_CU_OK; /* a channel is in order with itself */
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

int kt_event_look(struct kt_event *event)
{
	struct kt_semaphore semaphore;
	struct kt_channel *channel;

	if (!state_of(event, &semaphore, &channel)) {
		return KT_CU_OK;
	}
	return kt_wait_look(channel, &semaphore, semaphore.value);
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
