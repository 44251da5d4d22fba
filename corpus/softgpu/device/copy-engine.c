/* SPDX-License-Identifier: MIT */
/*
 * The copy engine, class 0xc8b5: pitch-linear copies between virtual addresses, and the
 * semaphores released after them. Other features of the class (block-linear and physical
 * memory, remap, scrubbing, encryption, reductions) cause channel errors.
 */
#include "corpus/softgpu/device/engine.h"

#include <string.h>

#include "decode/bits.h"
#include "decode/method-names.h"

#define LINE_COST 64 /* bytes charged to the turn's budget for each line */

#define FIELD(name, value) kt_bits_in(KT_C8B5_LAUNCH_DMA__##name, value)

static uint32_t get(const struct kt_gpu_channel *channel, unsigned offset)
{
	return kt_gpu_register(channel, KT_GPU_COPY, offset);
}

/* Copies as much as the turn allows, from the position in channel->progress on. */
static enum kt_gpu_result copy(struct kt_gpu_channel *channel, bool multi_line)
{
	struct kt_gpu_progress *progress = &channel->progress;
	uint64_t from =
		kt_gpu_address_register(channel, KT_GPU_COPY, KT_C8B5_OFFSET_IN_UPPER);
	uint64_t to =
		kt_gpu_address_register(channel, KT_GPU_COPY, KT_C8B5_OFFSET_OUT_UPPER);
	uint64_t length = get(channel, KT_C8B5_LINE_LENGTH_IN);
	uint64_t lines = multi_line ? get(channel, KT_C8B5_LINE_COUNT) : 1;

	while (length && progress->line < lines) {
		uint64_t in = progress->line * get(channel, KT_C8B5_PITCH_IN);
		uint64_t out = progress->line * get(channel, KT_C8B5_PITCH_OUT);
		uint64_t n = length - progress->at;

		if (channel->budget <= 0) {
			return KT_GPU_AGAIN;
		}
		if (n > (uint64_t)channel->budget) {
			n = (uint64_t)channel->budget;
		}
		if (!kt_gpu_move(channel->space, to + out + progress->at,
				 from + in + progress->at, n)) {
			return KT_GPU_FAULT;
		}
		channel->budget -= (int64_t)n + LINE_COST;
		progress->at += n;
		if (progress->at == length) {
			progress->at = 0;
			progress->line++;
		}
	}
	channel->gpu->counts.copies++;
	return KT_GPU_DONE;
}

enum kt_gpu_result kt_gpu_copy_method(struct kt_gpu_channel *channel, uint16_t offset,
				      uint32_t launch)
{
	uint32_t type = FIELD(DATA_TRANSFER_TYPE, launch);
	uint32_t semaphore = FIELD(SEMAPHORE_TYPE, launch);
	bool copies = type != KT_C8B5_LAUNCH_DMA__DATA_TRANSFER_TYPE__NONE;
	bool wide = FIELD(SEMAPHORE_PAYLOAD_SIZE, launch);
	uint64_t payload = (uint64_t)get(channel, KT_C8B5_SET_SEMAPHORE_PAYLOAD_UPPER)
				   << 32 |
			   get(channel, KT_C8B5_SET_SEMAPHORE_PAYLOAD);
	enum kt_gpu_release form;

	if (offset == KT_C8B5_SET_RENDER_ENABLE_C) {
		return kt_bits_in(KT_C8B5_SET_RENDER_ENABLE_C__MODE, launch) ==
				       KT_C8B5_SET_RENDER_ENABLE_C__MODE__TRUE
			       ? KT_GPU_DONE
			       : KT_GPU_COPY_ERROR;
	}
	/* Rejects features that are not modelled. */
	if (offset != KT_C8B5_LAUNCH_DMA || type == 3 || semaphore == 3 ||
	    FIELD(SEMAPHORE_REDUCTION_ENABLE, launch) || FIELD(REMAP_ENABLE, launch) ||
	    FIELD(MEMORY_SCRUB_ENABLE, launch) || FIELD(VPRMODE, launch) ||
	    FIELD(COPY_TYPE, launch) != KT_C8B5_LAUNCH_DMA__COPY_TYPE__DEFAULT) {
		return KT_GPU_COPY_ERROR;
	}
	if (copies && (FIELD(SRC_MEMORY_LAYOUT, launch) !=
			       KT_C8B5_LAUNCH_DMA__SRC_MEMORY_LAYOUT__PITCH ||
		       FIELD(DST_MEMORY_LAYOUT, launch) !=
			       KT_C8B5_LAUNCH_DMA__DST_MEMORY_LAYOUT__PITCH ||
		       FIELD(SRC_TYPE, launch) != KT_C8B5_LAUNCH_DMA__SRC_TYPE__VIRTUAL ||
		       FIELD(DST_TYPE, launch) != KT_C8B5_LAUNCH_DMA__DST_TYPE__VIRTUAL)) {
		return KT_GPU_COPY_ERROR;
	}
	if (copies) {
		enum kt_gpu_result result = copy(channel, FIELD(MULTI_LINE_ENABLE, launch));

		if (result != KT_GPU_DONE) {
			return result;
		}
	}
	memset(&channel->progress, 0, sizeof(channel->progress));
	switch (semaphore) {
	case KT_C8B5_LAUNCH_DMA__SEMAPHORE_TYPE__NONE: return KT_GPU_DONE;
	case KT_C8B5_LAUNCH_DMA__SEMAPHORE_TYPE__RELEASE_ONE_WORD_SEMAPHORE:
		form = wide ? KT_GPU_TWO_WORDS : KT_GPU_ONE_WORD;
		break;
	default: form = wide ? KT_GPU_FOUR_WORDS_64 : KT_GPU_FOUR_WORDS; break;
	}
	return kt_gpu_release(
		channel->space,
		kt_gpu_address_register(channel, KT_GPU_COPY, KT_C8B5_SET_SEMAPHORE_A),
		payload, form, KT_GPU_COPY_ERROR);
}
