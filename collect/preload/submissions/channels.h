/* SPDX-License-Identifier: MIT */
/*
 * Channels and their GP_PUT: which channel a doorbell was for, and proof that no submission
 * went by unseen. The lock is held for all functions here.
 */
#ifndef KTAIL_COLLECT_CHANNELS_H
#define KTAIL_COLLECT_CHANNELS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collect/preload/mappings/channel.h"

struct kt_ring {
	uint32_t moved;   /* channels whose GP_PUT has moved since it was last looked at */
	uint32_t channel; /* handle of the first of them */
	uint32_t gp_put;
	bool as_stored; /* GP_PUT of all of them is what a store was seen to put there */
};

void kt_channel_add(const struct kt_channel_alloc *alloc);

/* The value that a doorbell store for this channel carries. */
void kt_channel_set_token(uint32_t client, uint32_t object, uint32_t token);

/*
 * A doorbell has rung with that value: looks at the channel of this token, and at all
 * others if it has not moved or is unknown. Each look reads device memory, about a
 * microsecond. Allocates nothing: called in signal handlers.
 */
struct kt_ring kt_channel_doorbell(int known, uint32_t token);

/*
 * Calls visit for each channel whose GP_PUT was seen to move and that has not been visited
 * since. The next walk begins where this one ends; after a GP_PUT that is beyond the ring
 * it begins where this one did. Called in signal handlers.
 */
void kt_channel_each_moved(void (*visit)(const struct kt_channel_work *work));

/* The channel is about to be freed: a last look. Nothing happens if it is none. */
void kt_channel_read_last(uint32_t client, uint32_t object);

/* It has been freed. */
void kt_channel_remove(uint32_t client, uint32_t object);

/* A forked child has no channels: those that it inherits are the parent's to ring. */
void kt_channel_after_fork(void);

/* [start, start + length) is being unmapped: a last look at the channels that lie there. */
void kt_channel_forget_mapping(uintptr_t start, size_t length);

/* A last look at all that are left; then says how many could be read and were behind. */
void kt_channel_finish(uint32_t *readable, uint32_t *lagging);

#endif
