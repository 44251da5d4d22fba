/* SPDX-License-Identifier: MIT */
/*
 * Channels: the entries of a ring are executed one at a time, up to GP_PUT. An entry that
 * waits for a semaphore, or is too long for one turn, resumes at the same method in a
 * later turn; GP_GET advances when the entry is finished.
 */
#include "corpus/softgpu/device/engine.h"

#include <errno.h>
#include <string.h>

#include "decode/method-names.h"

#define KEEP_WORDS 16384 /* dwords; a larger segment buffer is freed after use */
#define RUNLIST    1u    /* upper half of each token, so that no token is 0 */

int kt_gpu_channel_create(struct kt_gpu *gpu, const struct kt_gpu_channel_options *options,
			  struct kt_gpu_channel **out, uint32_t *token)
{
	uint32_t n = options->gpfifo_entries;
	struct kt_gpu_channel *channel = NULL;
	void *userd = NULL;
	uint32_t index = 0;
	int error = 0;

	if (!options->space || n < 2 || (n & (n - 1)) ||
	    options->gpfifo_address % KT_GPFIFO_ENTRY_BYTES != 0 ||
	    options->userd_physical % KT_USERD_BYTES != 0 ||
	    !kt_gpu_is_memory(options->userd_physical, KT_USERD_BYTES) ||
	    (options->notifier_physical != UINT64_MAX &&
	     (options->notifier_physical % 16 != 0 ||
	      !kt_gpu_is_memory(options->notifier_physical,
				sizeof(struct kt_abi_notification))))) {
		return -EINVAL;
	}
	channel = kt_store_take(&gpu->store, sizeof(*channel));
	if (!channel) {
		return -ENOMEM;
	}
	channel->space = options->space;
	channel->gpfifo_address = options->gpfifo_address;
	channel->gpfifo_entries = n;
	channel->userd = options->userd_physical;
	channel->notifier = options->notifier_physical;
	channel->wake = UINT64_MAX;
	kt_gpu_lock(gpu);
	userd = kt_gpu_in_page(gpu, channel->userd, KT_USERD_BYTES);
	if (!userd) {
		error = -ENOMEM;
		goto end;
	}
	while (index < KT_GPU_MAX_CHANNELS && gpu->channels[index]) {
		index++;
	}
	error = index == KT_GPU_MAX_CHANNELS ? -ENOSPC : kt_gpu_start(gpu);
	if (error) {
		goto end;
	}
	channel->gpu = gpu;
	channel->index = index;
	channel->space->references++;
	gpu->channels[index] = channel;
	if (gpu->channels_end <= index) {
		gpu->channels_end = index + 1;
	}
	memset(userd, 0, KT_USERD_BYTES);
	*out = channel;
	*token = RUNLIST << 16 | index;
end:
	kt_gpu_unlock(gpu);
	if (error) {
		kt_store_give(&gpu->store, channel);
	}
	return error;
}

void kt_gpu_channel_free(struct kt_gpu_channel *channel)
{
	struct kt_gpu *gpu = NULL;

	if (!channel) {
		return;
	}
	gpu = channel->gpu;
	kt_gpu_lock(gpu);
	gpu->channels[channel->index] = NULL;
	while (gpu->channels_end && !gpu->channels[gpu->channels_end - 1]) {
		gpu->channels_end--;
	}
	kt_gpu_space_put(channel->space);
	kt_gpu_unlock(gpu);
	kt_store_give(&gpu->store, channel->words);
	kt_store_give(&gpu->store, channel);
}

void kt_gpu_channel_enable(struct kt_gpu_channel *channel, bool enable)
{
	kt_gpu_lock(channel->gpu);
	channel->enabled = enable;
	kt_gpu_unlock(channel->gpu);
}

static bool engine_of(uint32_t class_number, enum kt_gpu_engine *engine)
{
	*engine = class_number == KT_ABI_CLASS_COPY ? KT_GPU_COPY : KT_GPU_COMPUTE;
	return class_number == KT_ABI_CLASS_COPY || class_number == KT_ABI_CLASS_COMPUTE;
}

int kt_gpu_channel_allow(struct kt_gpu_channel *channel, uint32_t class_number)
{
	enum kt_gpu_engine engine = KT_GPU_COPY;

	if (!engine_of(class_number, &engine)) {
		return -EINVAL;
	}
	kt_gpu_lock(channel->gpu);
	channel->allowed[engine] = true;
	kt_gpu_unlock(channel->gpu);
	return 0;
}

/* --- end of an entry --- */

static void leave_segment(struct kt_gpu_channel *channel)
{
	channel->in_segment = false;
	channel->pending = false;
	channel->grid = 0;
	memset(&channel->progress, 0, sizeof(channel->progress));
	if (channel->capacity > KEEP_WORDS) {
		kt_store_give(&channel->gpu->store, channel->words);
		channel->words = NULL;
		channel->capacity = 0;
	}
}

/*
 * Returns a pointer to a dword of the channel's USERD. The pointer is never NULL, because
 * kt_gpu_channel_create fails if there is no USERD page.
 */
static uint32_t *userd_word(const struct kt_gpu_channel *channel, unsigned offset)
{
	return kt_gpu_in_page(channel->gpu, channel->userd + offset, sizeof(uint32_t));
}

static void end_entry(struct kt_gpu_channel *channel)
{
	leave_segment(channel);
	channel->get = (channel->get + 1) & (channel->gpfifo_entries - 1);
	channel->gpu->counts.entries++;
	__atomic_store_n(userd_word(channel, KT_USERD_GP_GET), channel->get,
			 __ATOMIC_RELEASE);
}

/* --- start of an entry --- */

/*
 * Reads the next ring entry and copies the segment, so that the program cannot change
 * dwords between their check and their execution.
 */
static enum kt_gpu_result fetch(struct kt_gpu_channel *channel)
{
	struct kt_store *store = &channel->gpu->store;
	struct kt_gpfifo_entry entry;
	uint32_t words[2];
	uint64_t offset = (uint64_t)channel->get * KT_GPFIFO_ENTRY_BYTES;

	if (!kt_gpu_read(channel->space, channel->gpfifo_address + offset, words,
			 sizeof(words), NULL)) {
		return KT_GPU_FAULT;
	}
	kt_gpfifo_decode(&entry, words);
	if (!entry.words) {
		switch (entry.opcode) {
		case KT_GPFIFO_NOP: break;
		case KT_GPFIFO_SET_EXTENDED_BASE:
			channel->extended_base = (uint64_t)entry.operand << 40;
			break;
		default: return KT_GPU_PBDMA;
		}
		end_entry(channel);
		return KT_GPU_DONE;
	}
	if (entry.conditional) {
		return KT_GPU_PBDMA;
	}
	if (entry.words > channel->capacity) {
		kt_store_give(store, channel->words);
		channel->capacity = 0;
		channel->words =
			kt_store_resize(store, NULL, entry.words * sizeof(*channel->words));
		if (!channel->words) {
			return KT_GPU_PBDMA;
		}
		channel->capacity = entry.words;
	}
	if (!kt_gpu_read(channel->space, channel->extended_base | entry.address,
			 channel->words, (uint64_t)entry.words * 4, NULL)) {
		return KT_GPU_FAULT;
	}
	kt_method_stream_continue(&channel->stream, channel->words, entry.words);
	channel->in_segment = true;
	return KT_GPU_DONE;
}

/* --- methods --- */

static enum kt_gpu_result execute(struct kt_gpu_channel *channel)
{
	const struct kt_method *method = &channel->method;
	enum kt_gpu_engine engine = KT_GPU_COPY;
	bool data;

	if (method->offset == KT_C86F_SET_OBJECT) {
		uint16_t class_number = (uint16_t)method->value;

		if (!engine_of(class_number, &engine) || !channel->allowed[engine]) {
			return KT_GPU_PBDMA;
		}
		channel->bound[method->subchannel] = class_number;
		return KT_GPU_DONE;
	}
	if (method->offset < 0x100) {
		return kt_gpu_host_method(channel, method->offset, method->value);
	}
	if (!engine_of(channel->bound[method->subchannel], &engine)) {
		return KT_GPU_PBDMA;
	}
	switch (kt_gpu_method_kind(engine, method->offset)) {
	case KT_GPU_UNKNOWN:
		return engine == KT_GPU_COPY ? KT_GPU_COPY_ERROR : KT_GPU_NO_METHOD;
	case KT_GPU_REFUSED:
		return engine == KT_GPU_COPY ? KT_GPU_COPY_ERROR : KT_GPU_ILLEGAL;
	case KT_GPU_STATE:
	case KT_GPU_STARTS: break;
	}
	data = engine == KT_GPU_COMPUTE && method->offset == KT_CBC0_LOAD_INLINE_DATA;
	if (engine == KT_GPU_COMPUTE && channel->upload.active && !data) {
		return KT_GPU_ILLEGAL; /* the inline data is incomplete */
	}
	channel->registers[engine][method->offset / 4] = method->value;
	if (kt_gpu_method_kind(engine, method->offset) == KT_GPU_STATE) {
		return KT_GPU_DONE;
	}
	if (data) {
		struct kt_method_stream *stream = &channel->stream;
		size_t here = stream->n - stream->at;
		size_t rest = stream->left < here ? stream->left : here;

		if (stream->header.op != KT_METHOD_NON_INCREASING || rest == 0) {
			return kt_gpu_inline_data(channel, &method->value, 1);
		}
		/* Passes the remaining dwords of this method in this segment in one batch. */
		stream->left -= (uint32_t)rest;
		stream->at += rest;
		channel->gpu->counts.methods += rest;
		channel->budget -= (int64_t)rest * 4;
		return kt_gpu_inline_data(channel, stream->words + method->at, rest + 1);
	}
	return engine == KT_GPU_COPY
		       ? kt_gpu_copy_method(channel, method->offset, method->value)
		       : kt_gpu_compute_method(channel, method->offset, method->value);
}

/*
 * Executes methods until the segment ends, the turn is used up, or the channel must wait.
 */
static enum kt_gpu_result run_segment(struct kt_gpu_channel *channel, bool *worked)
{
	for (;;) {
		enum kt_gpu_result result = KT_GPU_DONE;

		if (!channel->pending) {
			if (channel->budget <= 0) {
				return KT_GPU_AGAIN;
			}
			switch (kt_method_next(&channel->stream, &channel->method)) {
			case KT_METHOD_GIVEN: break;
			case KT_METHOD_NO_MORE:
			case KT_METHOD_CUT: return KT_GPU_DONE;
			case KT_METHOD_BAD: return KT_GPU_PBDMA;
			}
			channel->pending = true;
		}
		result = execute(channel);
		*worked = *worked || result != KT_GPU_PARKED;
		if (result != KT_GPU_DONE) {
			return result;
		}
		channel->pending = false;
		channel->budget -= KT_GPU_METHOD_COST;
		channel->gpu->counts.methods++;
	}
}

enum kt_gpu_turn kt_gpu_channel_turn(struct kt_gpu_channel *channel)
{
	enum kt_gpu_result result = KT_GPU_DONE;
	bool worked = true;

	channel->wake = UINT64_MAX;
	if (!channel->enabled || channel->dead) {
		return KT_GPU_IDLE;
	}
	if (!channel->in_segment) {
		uint32_t put = __atomic_load_n(userd_word(channel, KT_USERD_GP_PUT),
					       __ATOMIC_ACQUIRE);

		if (put == channel->get) {
			return KT_GPU_IDLE;
		}
		result = put < channel->gpfifo_entries ? KT_GPU_DONE : KT_GPU_PBDMA;
	}
	kt_gpu_window_flush(channel->gpu);
	channel->budget = KT_GPU_TURN_BYTES;
	if (channel->in_segment) {
		worked = false;
	} else if (result == KT_GPU_DONE) {
		result = fetch(channel);
	}
	if (result == KT_GPU_DONE && channel->in_segment) {
		result = run_segment(channel, &worked);
		if (result == KT_GPU_DONE) {
			worked = true;
			end_entry(channel);
		}
	}
	if (result > KT_GPU_DONE) {
		struct kt_gpu *gpu = channel->gpu;
		struct kt_abi_notification *at = NULL;

		leave_segment(channel);
		channel->dead = true;
		gpu->counts.errors++;
		if (channel->notifier != UINT64_MAX) {
			at = kt_gpu_in_page(gpu, channel->notifier, sizeof(*at));
		}
		if (at) {
			__atomic_store_n(&at->time, kt_gpu_time(), __ATOMIC_RELAXED);
			__atomic_store_n(&at->number, (uint32_t)result, __ATOMIC_RELAXED);
			__atomic_store_n(&at->code, 0, __ATOMIC_RELAXED);
			__atomic_store_n(&at->status, 0xffff, __ATOMIC_RELEASE);
		}
		return KT_GPU_WORKED;
	}
	return worked ? KT_GPU_WORKED : KT_GPU_IDLE;
}
