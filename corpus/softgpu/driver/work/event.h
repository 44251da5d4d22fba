/* SPDX-License-Identifier: MIT */
/*
 * Events: a semaphore of the context whose value grows by one with each record, released by
 * the channel that the record was submitted to.
 */
#ifndef KTAIL_SOFTGPU_EVENT_H
#define KTAIL_SOFTGPU_EVENT_H

#include "corpus/softgpu/driver/work/stream.h"

struct kt_event {
	struct kt_object object;
	unsigned flags;
	pthread_mutex_t lock; /* of what follows */
	struct kt_semaphore semaphore;
	struct kt_channel *channel; /* Weak. Of the last release, of a former owner's too */
	bool recorded;
};

int kt_event_create(struct kt_event **out, struct kt_context *context, unsigned flags);
/* Of one that nobody can find any more. */
void kt_event_free(struct kt_event *event);

int kt_event_record(struct kt_event *event, const struct kt_target *target);
/*
 * The stream goes on when what was last recorded is done; nothing was: at once. For an
 * event of another context the calling thread waits, and not the device: that context may
 * die or go before the stream comes to the wait, and its semaphores with it.
 */
int kt_event_wait_in(struct kt_event *event, const struct kt_target *target);
int kt_event_wait(struct kt_event *event);
int kt_event_look(struct kt_event *event);
bool kt_event_is_recorded(struct kt_event *event);
/* Nanoseconds of the device when the last record was reached, which must be done. */
uint64_t kt_event_time(struct kt_event *event);

#endif
