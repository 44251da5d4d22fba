/* SPDX-License-Identifier: MIT */
/*
 * Data inside the command stream: LAUNCH_DMA of the compute class says where they go, the
 * words of LOAD_INLINE_DATA follow. The bytes of all lines follow each other without gaps
 * (the model's own choice; drivers use one line). The last word may hold up to three bytes
 * too many; a word too many is an error, and so is another method before the last one.
 */
#include "corpus/softgpu/device/engine.h"

#include <string.h>

#include "decode/bits.h"
#include "decode/method-names.h"

#define FIELD(name, value) kt_bits_in(KT_CBC0_LAUNCH_DMA__##name, value)

static uint32_t get(const struct kt_gpu_channel *channel, unsigned offset)
{
	return kt_gpu_register(channel, KT_GPU_COMPUTE, offset);
}

static enum kt_gpu_result complete(struct kt_gpu_channel *channel)
{
	uint32_t launch = get(channel, KT_CBC0_LAUNCH_DMA);

	channel->upload.active = false;
	if (FIELD(COMPLETION_TYPE, launch) !=
	    KT_CBC0_LAUNCH_DMA__COMPLETION_TYPE__RELEASE_SEMAPHORE) {
		return KT_GPU_DONE;
	}
	return kt_gpu_release(
		channel->space,
		kt_gpu_address_register(channel, KT_GPU_COMPUTE,
					KT_CBC0_SET_I2M_SEMAPHORE_A),
		get(channel, KT_CBC0_SET_I2M_SEMAPHORE_C),
		FIELD(SEMAPHORE_STRUCT_SIZE, launch) ==
				KT_CBC0_LAUNCH_DMA__SEMAPHORE_STRUCT_SIZE__ONE_WORD
			? KT_GPU_ONE_WORD
			: KT_GPU_FOUR_WORDS,
		KT_GPU_ILLEGAL);
}

static uint64_t bytes_to_come(const struct kt_gpu_channel *channel)
{
	uint64_t length = get(channel, KT_CBC0_LINE_LENGTH_IN);
	uint64_t lines = get(channel, KT_CBC0_LINE_COUNT);

	return (lines - channel->upload.line) * length - channel->upload.at;
}

enum kt_gpu_result kt_gpu_inline_launch(struct kt_gpu_channel *channel, uint32_t value)
{
	if (FIELD(DST_MEMORY_LAYOUT, value) !=
		    KT_CBC0_LAUNCH_DMA__DST_MEMORY_LAYOUT__PITCH ||
	    FIELD(REDUCTION_ENABLE, value) || FIELD(COMPLETION_TYPE, value) == 3) {
		return KT_GPU_ILLEGAL;
	}
	memset(&channel->upload, 0, sizeof(channel->upload));
	channel->upload.active = bytes_to_come(channel) > 0;
	return channel->upload.active ? KT_GPU_DONE : complete(channel);
}

enum kt_gpu_result kt_gpu_inline_data(struct kt_gpu_channel *channel, const uint32_t *words,
				      size_t n)
{
	struct kt_gpu_inline *upload = &channel->upload;
	uint64_t to =
		kt_gpu_address_register(channel, KT_GPU_COMPUTE, KT_CBC0_OFFSET_OUT_UPPER);
	uint64_t length = get(channel, KT_CBC0_LINE_LENGTH_IN);
	const uint8_t *data = (const uint8_t *)words;
	uint64_t left = upload->active ? bytes_to_come(channel) : 0;
	uint64_t bytes = (uint64_t)n * 4;

	if (n > left / 4 + (left % 4 != 0)) {
		return KT_GPU_ILLEGAL;
	}
	bytes = bytes < left ? bytes : left;
	left -= bytes;
	while (bytes) {
		uint64_t part = length - upload->at < bytes ? length - upload->at : bytes;
		uint64_t line = upload->line * get(channel, KT_CBC0_PITCH_OUT);

		if (!kt_gpu_write(channel->space, to + line + upload->at, data, part,
				  NULL)) {
			return KT_GPU_FAULT;
		}
		data += part;
		bytes -= part;
		upload->at += part;
		if (upload->at == length) {
			upload->at = 0;
			upload->line++;
		}
	}
	return left ? KT_GPU_DONE : complete(channel);
}
