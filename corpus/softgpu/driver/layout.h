/* SPDX-License-Identifier: MIT */
/*
 * Where things lie in the memory of a context: in `ring` the rings of its channels one
 * after the other, then their USERDs; in `pushbuffer` a part a channel.
 */
#ifndef KTAIL_SOFTGPU_DRIVER_LAYOUT_H
#define KTAIL_SOFTGPU_DRIVER_LAYOUT_H

#include "corpus/softgpu/driver/driver.h"
#include "decode/gpfifo.h"

#define KT_RING_BYTES (KT_RING_ENTRIES * KT_GPFIFO_ENTRY_BYTES)

/* NVIDIA's driver has mappings of at least this size: a big page. */
static inline uint64_t kt_big_pages(uint64_t bytes)
{
	return (bytes + KT_ABI_BIG_PAGE - 1) & ~(uint64_t)(KT_ABI_BIG_PAGE - 1);
}

static inline uint64_t kt_ring_offset(uint32_t channel)
{
	return (uint64_t)channel * KT_RING_BYTES;
}

static inline uint64_t kt_userd_offset(uint32_t channel)
{
	return (uint64_t)KT_CHANNELS * KT_RING_BYTES + (uint64_t)channel * KT_USERD_BYTES;
}

static inline uint64_t kt_ring_address(const struct kt_channel *channel)
{
	return channel->context->ring.address + kt_ring_offset(channel->index);
}

/* An offset in the channel's part of the pushbuffer, for the CPU and the GPU. */
static inline volatile uint8_t *kt_pushbuffer_at(const struct kt_channel *channel,
						 uint64_t offset)
{
	return channel->context->pushbuffer.cpu +
	       (uint64_t)channel->index * KT_PUSHBUFFER_BYTES + offset;
}

static inline uint64_t kt_pushbuffer_address(const struct kt_channel *channel,
					     uint64_t offset)
{
	return channel->context->pushbuffer.address +
	       (uint64_t)channel->index * KT_PUSHBUFFER_BYTES + offset;
}

#endif
