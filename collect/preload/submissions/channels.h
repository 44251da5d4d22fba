/* SPDX-License-Identifier: MIT */
/*
 * Channels and their GP_PUT: identifies the channel of a doorbell, and proves that no
 * submission went by unobserved. The caller holds the lock.
 */
#ifndef KTAIL_COLLECT_CHANNELS_H
#define KTAIL_COLLECT_CHANNELS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collect/preload/mappings/channel.h"

struct kt_ring {
	uint32_t moved;   /* channels whose GP_PUT has moved since it was last read */
	uint32_t channel; /* handle of the first such channel */
	uint32_t gp_put;
	bool as_stored; /* all their GP_PUTs come from observed stores */
};

void kt_channel_add(const struct kt_channel_alloc *alloc);

/* Sets the value that a doorbell store for this channel carries. */
void kt_channel_set_token(uint32_t client, uint32_t object, uint32_t token);

/*
 * Handles a doorbell store of the value `token`, if `known`. Reads GP_PUT of the channel
 * with this token; if there is none, or its GP_PUT has not moved, reads GP_PUT of all
 * channels. Each read of device memory takes about a microsecond. Allocates nothing: called
 * in signal handlers.
 */
struct kt_ring kt_channel_doorbell(int known, uint32_t token);

/*
 * Calls visit for each channel whose GP_PUT has moved since its last visit. The next walk
 * begins where this one ends, or where this one began if GP_PUT is beyond the ring. Called
 * in signal handlers.
 */
void kt_channel_each_moved(void (*visit)(const struct kt_channel_work *work, void *context),
			   void *context);

/*
 * The channel is about to be freed: reads GP_PUT once more. Does nothing if there is no
 * such channel.
 */
void kt_channel_read_last(uint32_t client, uint32_t object);

/* The channel has been freed. */
void kt_channel_remove(uint32_t client, uint32_t object);

/*
 * In a forked child: forgets all channels, because the child must not write the inherited
 * doorbells of its parent.
 */
void kt_channel_after_fork(void);

/*
 * [start, start + length) is being unmapped: reads GP_PUT of the channels there once more.
 */
void kt_channel_forget_mapping(uintptr_t start, size_t length);

/*
 * Reads GP_PUT of all remaining channels once more, then returns how many could be read and
 * how many lag.
 */
void kt_channel_finish(uint32_t *readable, uint32_t *lagging);

#endif
