/* SPDX-License-Identifier: MIT */
/*
 * The channels of one process, and the engine objects allocated below each channel, to
 * which the channel's subchannels may be bound. If the handle of a channel is allocated
 * again, it names a new channel.
 */
#ifndef KTAIL_WORDS_CHANNELS_H
#define KTAIL_WORDS_CHANNELS_H

#include <stddef.h>
#include <stdint.h>

#include "decode/commands.h"

struct kt_channel {
	uint32_t client;
	uint32_t handle;
	/*
	 * number from 0, in order of allocation, or of the first submission if that came
	 * first
	 */
	uint32_t ordinal;
	uint64_t ring; /* GPU address of the ring, set by the code that owns the channels;
			* 0: unknown */
	uint64_t token;                     /* work-submit token; UINT64_MAX: unknown */
	struct kt_channel_decoder *decoder; /* Owned by this; NULL until dwords arrive */
	struct kt_decode_counts counts;     /* unused: always zero */
};

struct kt_engine_object {
	uint32_t client;
	uint32_t parent;
	uint32_t handle;
	uint32_t class_number;
};

/* If all members are zero, there are no channels. */
struct kt_channels {
	struct kt_channel *channels;
	size_t n;
	size_t capacity;
	size_t last;       /* index of the channel found last */
	uint32_t total;    /* channels ever added */
	uint32_t *handles; /* Owned by this: handles of all channels ever added, by
			    * ordinal */
	size_t handles_capacity;
	struct kt_engine_object *objects; /* engine objects whose class has methods */
	size_t n_objects;
	size_t objects_capacity;
};

/* Adds an allocated channel, in place of an earlier channel with the same handle. */
int kt_channels_add(struct kt_channels *channels, uint32_t client, uint32_t handle,
		    uint32_t *ordinal);

/* Returns the handle of the channel with that ordinal, 0 if there is none. */
uint32_t kt_channels_handle(const struct kt_channels *channels, uint32_t ordinal);

/*
 * Handles the allocation of an object: forgets an earlier object with the same handle and
 * the children of that object; if the earlier object was a channel, forgets its subchannel
 * bindings, too. Adds the new object if its class has methods.
 */
int kt_channels_alloc(struct kt_channels *channels, const struct kt_engine_object *object);

/*
 * Forgets a freed object. Returns the ordinal of a freed channel, UINT32_MAX for any other
 * object.
 */
uint32_t kt_channels_free_object(struct kt_channels *channels, uint32_t client,
				 uint32_t handle);

/*
 * Finds the channel with that handle, or adds it if it is unknown. *out is valid until
 * channels are added or freed.
 */
int kt_channels_get(struct kt_channels *channels, struct kt_channel **out, uint32_t client,
		    uint32_t handle);

/*
 * Like kt_channels_get(), and also gives the channel a decoder if it has none.
 * `class_number` is the channel's class.
 */
int kt_channels_find(struct kt_channels *channels, struct kt_channel **out, uint32_t client,
		     uint32_t handle, uint32_t class_number);

/*
 * Informs the decoders of all channels that dwords may be missing before the next dwords.
 */
void kt_channels_gap(struct kt_channels *channels);

/* Frees everything that *channels owns, and resets *channels to all zero. */
void kt_channels_clear(struct kt_channels *channels);

#endif
