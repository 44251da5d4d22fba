/* SPDX-License-Identifier: MIT */
/*
 * Streams. A stream is a share in a channel: what is submitted to a channel is executed in
 * order, so a stream needs no more than the number of its last submission. The default
 * stream and the streams that are in order with it (all that are not NON_BLOCKING) share
 * channel 0; the others are assigned to the channels from 1 on in turn.
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
	_Atomic uint64_t last;      /* of the channel's progress; 0: nothing yet */
	_Atomic bool capturing;     /* what follows is graph.c's, under its lock */
	bool invalidated;
	int mode;
	pthread_t owner;
	struct kt_graph *graph; /* Owned by this while capturing */
	struct kt_stream *next_capture;
};

/* Where a call's work goes. */
struct kt_target {
	struct kt_context *context; /* Weak */
	struct kt_channel *channel; /* Weak */
	struct kt_stream *stream;   /* Weak. NULL: the default stream */
};

/* For the handle of a stream of the current context; NULL is the default stream. */
int kt_target_find(struct kt_target *out, kt_cu_stream handle);
/* The default stream of the context. */
struct kt_target kt_target_default(struct kt_context *context);
/* kt_submit, and the stream knows of it. *value (may be NULL) is as there. */
int kt_target_submit(const struct kt_target *target, const struct kt_push *push,
		     uint64_t *value);
int kt_target_submit_parts(const struct kt_target *target, const struct kt_push *push,
			   const size_t *parts, size_t n, uint64_t *value);
/* Until all is done that was submitted to the stream. */
int kt_target_wait(const struct kt_target *target);
int kt_target_poll(const struct kt_target *target);
/* The channel's progress with that value of it to wait for, however long ago that was. */
struct kt_semaphore kt_progress_goal(struct kt_channel *channel, uint64_t value);

int kt_stream_create(struct kt_stream **out, struct kt_context *context, unsigned flags);
/* Of one that no handle leads to any more. Its work goes on. */
void kt_stream_free(struct kt_stream *stream);

/*
 * Events: a semaphore of the context whose value grows by one with each record, released by
 * the channel that the record was submitted to.
 */
struct kt_event {
	struct kt_object object;
	unsigned flags;
	pthread_mutex_t lock; /* of what follows */
	struct kt_semaphore semaphore;
	struct kt_channel *channel; /* Weak. Of the last release, of a former owner's too */
	bool recorded;
};

int kt_event_create(struct kt_event **out, struct kt_context *context, unsigned flags);
/* Of one that no handle leads to any more. */
void kt_event_free(struct kt_event *event);

int kt_event_record(struct kt_event *event, const struct kt_target *target);
/*
 * The stream goes on when what was last recorded is done; nothing was: at once. For an
 * event of another context the calling thread waits, and not the device: that context may
 * die or go before the stream comes to the wait, and its semaphores with it.
 */
int kt_event_wait_in(struct kt_event *event, const struct kt_target *target);
int kt_event_wait(struct kt_event *event);
int kt_event_poll(struct kt_event *event);
bool kt_event_is_recorded(struct kt_event *event);
/* Nanoseconds of the device when the last record was reached, which must be done. */
uint64_t kt_event_time(struct kt_event *event);

#endif
