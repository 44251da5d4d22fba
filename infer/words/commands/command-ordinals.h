/* SPDX-License-Identifier: MIT */
/*
 * The channels of one process by ordinal: in order of allocation, those whose allocation is
 * not in the trace where they first submit. A handle that is used again is another channel.
 */
#ifndef KTAIL_WORDS_COMMAND_ORDINALS_H
#define KTAIL_WORDS_COMMAND_ORDINALS_H

#include <stddef.h>
#include <stdint.h>

struct kt_ordinal {
	uint32_t client;
	uint32_t handle;
	uint32_t ordinal;
	uint64_t token; /* what its doorbell stores; UINT64_MAX: unknown */
};

/* All zero: none. */
struct kt_ordinals {
	struct kt_ordinal *live;
	size_t n;
	size_t capacity;
	uint32_t total; /* that there ever were */
};

/* A channel was allocated; one that had its handle is gone. */
int kt_ordinals_alloc(struct kt_ordinals *ordinals, uint32_t client, uint32_t handle,
		      uint32_t *ordinal);
/* The channel of that handle, as it submits; valid until the next call. */
int kt_ordinals_find(struct kt_ordinals *ordinals, uint32_t client, uint32_t handle,
		     struct kt_ordinal **out);
/* An object was freed: the ordinal of the channel that it was, else KT_NO_CHANNEL. */
uint32_t kt_ordinals_remove(struct kt_ordinals *ordinals, uint32_t client, uint32_t handle);
/* By the handle alone, and by the token: KT_NO_CHANNEL if there is none. */
uint32_t kt_ordinals_of_handle(const struct kt_ordinals *ordinals, uint32_t handle);
uint32_t kt_ordinals_of_token(const struct kt_ordinals *ordinals, uint32_t token);
void kt_ordinals_free(struct kt_ordinals *ordinals);

#endif
