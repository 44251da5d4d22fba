/* SPDX-License-Identifier: MIT */
/*
 * The channels of one process, and which engine objects were allocated below each: what its
 * subchannels may be bound to. A handle that is used again is another channel.
 */
#ifndef KTAIL_WORDS_CHANNELS_H
#define KTAIL_WORDS_CHANNELS_H

#include <stddef.h>
#include <stdint.h>

#include "decode/commands.h"

struct kt_channel {
	uint32_t client;
	uint32_t handle;
	uint32_t ordinal; /* in order of allocation, else of the first submission */
	uint64_t token;   /* what its doorbell stores; UINT64_MAX: unknown */
	struct kt_channel_decoder *decoder; /* Owned by this; NULL until words come */
	struct kt_decode_counts counts;     /* of what was decoded so far */
};

struct kt_engine_object {
	uint32_t client;
	uint32_t parent;
	uint32_t handle;
	uint32_t class_number;
};

/* All zero: none. */
struct kt_channels {
	struct kt_channel *channels;
	size_t n;
	size_t capacity;
	size_t last;                      /* found last */
	uint32_t total;                   /* channels that there ever were */
	struct kt_engine_object *objects; /* of classes that have methods */
	size_t n_objects;
	size_t objects_capacity;
};

/* A channel was allocated; one that had its handle is gone. */
int kt_channels_add(struct kt_channels *channels, uint32_t client, uint32_t handle,
		    uint32_t *ordinal);

/* An object was allocated; one that had its handle, or what a channel was bound to, is
 * gone. */
int kt_channels_alloc(struct kt_channels *channels, const struct kt_engine_object *object);

/* An object was freed: the ordinal of the channel that it was, else UINT32_MAX. */
uint32_t kt_channels_free_object(struct kt_channels *channels, uint32_t client,
				 uint32_t handle);

/* The channel of that handle, made if need be; valid until the next call. */
int kt_channels_get(struct kt_channels *channels, struct kt_channel **out, uint32_t client,
		    uint32_t handle);

/* The same with a decoder for words. */
int kt_channels_find(struct kt_channels *channels, struct kt_channel **out, uint32_t client,
		     uint32_t handle, uint32_t class_number);

/* Frees all, and leaves it as it was in the beginning. */
void kt_channels_clear(struct kt_channels *channels);

#endif
