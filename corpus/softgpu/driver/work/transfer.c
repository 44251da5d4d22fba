/* SPDX-License-Identifier: MIT */
#include "corpus/softgpu/driver/work/transfer.h"

#include <string.h>

#include "base/try.h"
#include "corpus/softgpu/driver/host.h"
#include "corpus/softgpu/driver/work/copies.h"

int kt_transfer_staging(struct kt_context *context, uint8_t **cpu, uint64_t *gpu)
{
	if (!context->staging.bytes) {
		KT_TRY(kt_memory_create(&context->staging, KT_MEMORY_SYSTEM,
					KT_STAGING_BYTES));
	}
	*cpu = (uint8_t *)(uintptr_t)context->staging.cpu;
	*gpu = context->staging.address;
	return KT_CU_OK;
}

void kt_staging_write(uint8_t *cpu, const uint8_t *from, size_t bytes)
{
	KT_LABEL(WRITE_STAGING);

	memcpy(cpu, from, bytes);
}

void kt_staging_read(uint8_t *to, const uint8_t *cpu, size_t bytes)
{
	KT_LABEL(READ_STAGING);

	memcpy(to, cpu, bytes);
}

/* --- by the copy engine --- */

static int copy_directly(const struct kt_target *target, uint64_t to, uint64_t from,
			 size_t bytes, bool wait)
{
	KT_SUBMITTING(COPY);
	struct kt_push push = {0};
	int code;

	kt_push_copy(&push, to, from, bytes);
	code = kt_target_submit(target, &push, NULL);
	kt_push_free(&push);
	return !code && wait ? kt_target_wait(target) : code;
}

/* One submission of a staged copy; *value: what the channel's progress will be. */
static int copy_piece(struct kt_channel *channel, uint64_t to, uint64_t from, size_t bytes,
		      uint64_t *value)
{
	KT_SUBMITTING(COPY);
	struct kt_push push = {0};
	int code;

	kt_push_copy(&push, to, from, bytes);
	code = push.failed ? KT_CU_OUT_OF_MEMORY : kt_submit(channel, &push, value);
	kt_push_free(&push);
	return code;
}

static int wait_piece(struct kt_channel *channel, uint64_t value)
{
	return kt_wait(channel, &channel->progress, value);
}

/* Who has the context's lock has its staging memory, which nothing is under way in. */
static int stage_to_device(struct kt_channel *channel, uint64_t to, const uint8_t *from,
			   size_t bytes)
{
	uint8_t *cpu = NULL;
	uint64_t gpu = 0;
	uint64_t value = 0;

	KT_TRY(kt_transfer_staging(channel->context, &cpu, &gpu));
	for (size_t done = 0; done < bytes; done += KT_STAGING_BYTES) {
		size_t now = bytes - done;

		now = now < KT_STAGING_BYTES ? now : KT_STAGING_BYTES;
		/* The piece before it has left. */
		KT_TRY(done ? wait_piece(channel, value) : kt_wait_channel(channel));
		kt_staging_write(cpu, from + done, now);
		KT_TRY(copy_piece(channel, to + done, gpu, now, &value));
	}
	return wait_piece(channel, value);
}

static int stage_from_device(struct kt_channel *channel, uint8_t *to, uint64_t from,
			     size_t bytes)
{
	uint8_t *cpu = NULL;
	uint64_t gpu = 0;
	uint64_t value = 0;

	KT_TRY(kt_transfer_staging(channel->context, &cpu, &gpu));
	for (size_t done = 0; done < bytes; done += KT_STAGING_BYTES) {
		size_t now = bytes - done;

		now = now < KT_STAGING_BYTES ? now : KT_STAGING_BYTES;
		KT_TRY(done ? wait_piece(channel, value) : kt_wait_channel(channel));
		KT_TRY(copy_piece(channel, gpu, from + done, now, &value));
		KT_TRY(wait_piece(channel, value));
		kt_staging_read(to + done, cpu, now);
	}
	return KT_CU_OK;
}

/* --- by the thread --- */

void kt_move_bytes(const struct kt_move *move, uint8_t *cpu, size_t done, size_t bytes)
{
	if (move->from) {
		KT_LABEL(WRITE_MEMORY);

		memcpy(cpu, move->from + done, bytes);
	} else {
		KT_LABEL(READ_MEMORY);

		memcpy(move->to + done, cpu, bytes);
	}
}

static int move_by(enum kt_transfer transfer, const struct kt_move *move)
{
	KT_TRY(kt_wait_all(move->context));
	switch (transfer) {
	case KT_TRANSFER_MAPPED: return kt_move_mapped(move);
	case KT_TRANSFER_WINDOW: return kt_move_window(move);
	case KT_TRANSFER_CHUNK1: return kt_move_chunks(move, 1);
	case KT_TRANSFER_CHUNK4: return kt_move_chunks(move, KT_ABI_MAILBOXES);
	default: return KT_CU_NOT_SUPPORTED;
	}
}

/* --- both --- */

int kt_transfer_to_device(const struct kt_target *target, uint64_t to, const void *from,
			  size_t bytes, bool wait)
{
	struct kt_context *context = target->context;
	struct kt_move move = {
		.context = context,
		.device = to,
		.from = from,
		.bytes = bytes,
	};
	enum kt_transfer transfer = kt_driver_get()->transfer;
	int code;

	if (transfer != KT_TRANSFER_DMA) {
		return move_by(transfer, &move);
	}
	if (kt_host_holds(from, bytes)) {
		return copy_directly(target, to, (uintptr_t)from, bytes, wait);
	}
	pthread_mutex_lock(&context->lock);
	code = stage_to_device(target->channel, to, from, bytes);
	pthread_mutex_unlock(&context->lock);
	return code;
}

int kt_transfer_from_device(const struct kt_target *target, void *to, uint64_t from,
			    size_t bytes, bool wait)
{
	struct kt_context *context = target->context;
	struct kt_move move = {
		.context = context,
		.device = from,
		.to = to,
		.bytes = bytes,
	};
	enum kt_transfer transfer = kt_driver_get()->transfer;
	int code;

	if (transfer != KT_TRANSFER_DMA) {
		return move_by(transfer, &move);
	}
	if (kt_host_holds(to, bytes)) {
		return copy_directly(target, (uintptr_t)to, from, bytes, wait);
	}
	pthread_mutex_lock(&context->lock);
	code = stage_from_device(target->channel, to, from, bytes);
	pthread_mutex_unlock(&context->lock);
	return code;
}
