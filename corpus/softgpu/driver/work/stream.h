/* SPDX-License-Identifier: MIT */
/*
 * Streams. Several streams share a channel. A channel executes its submissions in order, so
 * a stream stores only the progress value of its last submission. The default stream and
 * the streams ordered with it (all that are not NON_BLOCKING) share channel 0; the others
 * are assigned in turn to the channels from 1 on.
 */
#ifndef KTAIL_SOFTGPU_STREAM_H
#define KTAIL_SOFTGPU_STREAM_H

#include <stdatomic.h>

#include "corpus/softgpu/driver/driver.h"
#include "corpus/softgpu/driver/object.h"

struct kt_graph;

struct kt_stream {
	struct kt_object object;
	struct kt_channel *channel; /* Weak */
	_Atomic uint64_t last;      /* progress after the last submission; 0: none yet */
	/* graph.c sets the following fields, under its lock */
	_Atomic bool capturing;
	bool invalidated;
	int mode;
	pthread_t owner;
	struct kt_graph *graph; /* Owned by this while capturing */
	struct kt_stream *next_capture;
};

/* Destination of a call's work. */
struct kt_target {
	struct kt_context *context; /* Weak */
	struct kt_channel *channel; /* Weak */
	struct kt_stream *stream;   /* Weak. NULL: the default stream */
};

/*
 * Finds the target for a stream handle of the current context; NULL is the default
 * stream.
 */
int kt_target_find(struct kt_target *out, kt_cu_stream handle);
/* Returns the default stream of the context. */
struct kt_target kt_target_default(struct kt_context *context);
/* Like kt_submit; also updates the stream's last submission. `value` may be NULL. */
int kt_target_submit(const struct kt_target *target, const struct kt_push *push,
		     uint64_t *value);
int kt_target_submit_parts(const struct kt_target *target, const struct kt_push *push,
			   const size_t *parts, size_t n, uint64_t *value);
/* Waits for all submissions to the stream. */
int kt_target_wait(const struct kt_target *target);
int kt_target_poll(const struct kt_target *target);
/*
 * Returns the channel's progress semaphore with the value to wait for. The value is
 * `value`, but not higher than the newest value, and not so old that payloads of 32 bits
 * cannot be compared with it.
 */
struct kt_semaphore kt_progress_goal(struct kt_channel *channel, uint64_t value);

int kt_stream_create(struct kt_stream **out, struct kt_context *context, unsigned flags);
/* Frees a stream that was removed from the object table. Its work continues. */
void kt_stream_free(struct kt_stream *stream);

/*
 * Events. An event has a semaphore of the context. Each kt_event_record() submits a release
 * of the semaphore, whose payload is one more than that of the release before.
 */
struct kt_event {
	struct kt_object object;
	unsigned flags;
	pthread_mutex_t lock; /* protects the following fields */
	struct kt_semaphore semaphore;
	/* Weak. Channel of the semaphore's last release, possibly for an earlier event */
	struct kt_channel *channel;
	bool recorded;
};

int kt_event_create(struct kt_event **out, struct kt_context *context, unsigned flags);
/* Frees an event that was removed from the object table. */
void kt_event_free(struct kt_event *event);

int kt_event_record(struct kt_event *event, const struct kt_target *target);
/*
 * Makes the stream wait for the last record of the event; without a record the stream
 * continues at once. If the event belongs to another context, the calling thread waits
 * instead of the device, because the other context and its semaphores may be destroyed
 * before the stream reaches the wait.
 */
int kt_event_wait_in(struct kt_event *event, const struct kt_target *target);
int kt_event_wait(struct kt_event *event);
int kt_event_poll(struct kt_event *event);
bool kt_event_is_recorded(struct kt_event *event);
/* Returns the device time in nanoseconds of the last record, which must be done. */
uint64_t kt_event_time(struct kt_event *event);

#endif
