/* SPDX-License-Identifier: MIT */
/*
 * Channels and their GP_PUT. Identifies the channel of a doorbell, and detects submissions
 * that went by unobserved. The caller holds the lock.
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
	bool get_known; /* GP_PUT was read from memory, and GP_GET with it */
	uint32_t gp_get;
	bool as_stored; /* the GP_PUTs of all `moved` channels come from observed stores */
};

void kt_channel_add(const struct kt_channel_alloc *alloc);

/* Sets the work-submit token: the value of a doorbell store for this channel. */
void kt_channel_set_token(uint32_t client, uint32_t object, uint32_t token);

/*
 * Handles a doorbell store; `token` is the stored value if `known`. Reads GP_PUT of the
 * channel with this token; if there is no such channel, or GP_PUT has not moved, reads
 * GP_PUT of all channels. Does not read all at once, because each read of device memory
 * takes about a microsecond. Allocates nothing: called in signal handlers.
 */
struct kt_ring kt_channel_doorbell(int known, uint32_t token);

/*
 * Calls visit for each channel whose GP_PUT has moved since the channel was last visited.
 * The next walk of a ring begins where this one ends, or where this one began if GP_PUT is
 * beyond the ring. Called in signal handlers.
 */
void kt_channel_each_moved(void (*visit)(const struct kt_channel_work *work, void *context),
			   void *context);

/*
 * Call before a channel is freed: reads its GP_PUT once more. Does nothing if there is no
 * such channel.
 */
void kt_channel_read_last(uint32_t client, uint32_t object);

/* Call after a channel was freed: removes it, if there is such a channel. */
void kt_channel_remove(uint32_t client, uint32_t object);

/*
 * Call in a forked child: forgets all channels. They are the parent's, so the child must
 * not write their doorbells, although it has inherited the mappings.
 */
void kt_channel_after_fork(void);

/*
 * Call before [start, start + length) is unmapped: reads GP_PUT once more for the channels
 * whose GP_PUT is in a mapping there.
 */
void kt_channel_forget_mapping(uintptr_t start, size_t length);

/*
 * Reads GP_PUT of all remaining channels once more. Then counts all channels, including
 * freed ones: *readable is the number of those whose GP_PUT could be read, *lagging the
 * number of lagging channels.
 */
void kt_channel_finish(uint32_t *readable, uint32_t *lagging);

#endif
