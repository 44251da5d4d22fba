/* SPDX-License-Identifier: MIT */
#include "rig.h"

#include <string.h>

#include "decode/bits.h"
#include "decode/method-names.h"

static bool open_channel(struct rig *rig, unsigned i)
{
	struct rig_channel *channel = &rig->channels[i];
	uint64_t own = rig->rings_physical + 0x4000 * (uint64_t)i;
	struct kt_gpu_channel_options options = {
		.space = rig->space,
		.gpfifo_address = RIG_RINGS + 0x4000 * (uint64_t)i,
		.gpfifo_entries = RIG_ENTRIES,
		.userd_physical = own + 0x1000,
		.notifier_physical = own + 0x2000,
	};

	channel->ring = options.gpfifo_address;
	channel->push = RIG_PUSH + RIG_PUSH_BYTES * (uint64_t)i;
	channel->entries = kt_gpu_memory_at(rig->gpu, own, 0x1000);
	channel->userd = kt_gpu_memory_at(rig->gpu, own + 0x1000, KT_USERD_BYTES);
	channel->notifier = kt_gpu_memory_at(rig->gpu, own + 0x2000, 16);
	channel->words = kt_gpu_memory_at(
		rig->gpu, rig->rings_physical + 0x10000 + RIG_PUSH_BYTES * (uint64_t)i,
		RIG_PUSH_BYTES);
	channel->put = 0;
	channel->n = 0;
	channel->at = 0;
	memset(channel->notifier, 0, 16);
	if (kt_gpu_channel_create(rig->gpu, &options, &channel->channel, &channel->token) ||
	    kt_gpu_channel_allow(channel->channel, KT_ABI_CLASS_COPY) ||
	    kt_gpu_channel_allow(channel->channel, KT_ABI_CLASS_COMPUTE)) {
		return false;
	}
	kt_gpu_channel_enable(channel->channel, true);
	return true;
}

bool rig_renew(struct rig *rig, unsigned i)
{
	kt_gpu_channel_free(rig->channels[i].channel);
	rig->channels[i].channel = NULL;
	return open_channel(rig, i);
}

bool rig_open(struct rig *rig, bool steps)
{
	uint64_t rings = 0x10000 + RIG_CHANNELS * RIG_PUSH_BYTES;

	memset(rig, 0, sizeof(*rig));
	if (kt_gpu_create(&rig->gpu)) {
		return false;
	}
	if (steps) {
		kt_gpu_use_steps(rig->gpu);
	}
	if (kt_gpu_space_create(rig->gpu, &rig->space) ||
	    kt_gpu_memory_allocate(rig->gpu, KT_GPU_SYSTEM_MEMORY, rings, 0,
				   &rig->rings_physical) ||
	    kt_gpu_memory_allocate(rig->gpu, KT_GPU_DEVICE_MEMORY, RIG_DATA_BYTES, 0,
				   &rig->data_physical) ||
	    kt_gpu_space_map(rig->space, RIG_RINGS, 0x10000, rig->rings_physical) ||
	    kt_gpu_space_map(rig->space, RIG_PUSH, rings - 0x10000,
			     rig->rings_physical + 0x10000) ||
	    kt_gpu_space_map(rig->space, RIG_DATA, RIG_DATA_BYTES, rig->data_physical)) {
		return false;
	}
	rig->data = kt_gpu_memory_at(rig->gpu, rig->data_physical, RIG_DATA_BYTES);
	for (unsigned i = 0; i < RIG_CHANNELS; i++) {
		if (!open_channel(rig, i)) {
			return false;
		}
	}
	return true;
}

void rig_close(struct rig *rig)
{
	kt_gpu_space_release(rig->space);
	kt_gpu_free(rig->gpu);
}

void rig_word(struct rig_channel *channel, uint32_t word)
{
	uint32_t at = channel->at + channel->n++;

	channel->words[at % (RIG_PUSH_BYTES / 4)] = word;
}

void rig_header(struct rig_channel *channel, enum kt_method_op op, unsigned subchannel,
		unsigned offset, unsigned n)
{
	struct kt_method_header header = {op, (uint16_t)n, (uint8_t)subchannel,
					  (uint16_t)offset};

	rig_word(channel, kt_method_header_encode(&header));
}

void rig_method(struct rig_channel *channel, unsigned subchannel, unsigned offset,
		uint32_t value)
{
	rig_header(channel, KT_METHOD_INCREASING, subchannel, offset, 1);
	rig_word(channel, value);
}

void rig_address(struct rig_channel *channel, unsigned subchannel, unsigned offset,
		 uint64_t address)
{
	rig_header(channel, KT_METHOD_INCREASING, subchannel, offset, 2);
	rig_word(channel, (uint32_t)(address >> 32));
	rig_word(channel, (uint32_t)address);
}

void rig_bind(struct rig_channel *channel)
{
	rig_method(channel, RIG_COMPUTE, KT_C86F_SET_OBJECT, KT_ABI_CLASS_COMPUTE);
	rig_method(channel, RIG_COPY, KT_C86F_SET_OBJECT, KT_ABI_CLASS_COPY);
}

static void semaphore(struct rig_channel *channel, uint64_t address, uint32_t value,
		      uint32_t execute)
{
	rig_header(channel, KT_METHOD_INCREASING, 0, KT_C86F_SEM_ADDR_LO, 5);
	rig_word(channel, (uint32_t)address);
	rig_word(channel, (uint32_t)(address >> 32));
	rig_word(channel, value);
	rig_word(channel, 0);
	rig_word(channel, execute);
}

void rig_acquire(struct rig_channel *channel, uint64_t address, uint32_t value)
{
	semaphore(channel, address, value, KT_C86F_SEM_EXECUTE__OPERATION__ACQ_CIRC_GEQ);
}

void rig_release(struct rig_channel *channel, uint64_t address, uint32_t value)
{
	semaphore(channel, address, value,
		  KT_C86F_SEM_EXECUTE__OPERATION__RELEASE |
			  kt_bits(KT_C86F_SEM_EXECUTE__RELEASE_TIMESTAMP, 1));
}

void rig_entry(struct rig_channel *channel, const uint32_t words[2])
{
	channel->entries[channel->put * 2] = words[0];
	channel->entries[channel->put * 2 + 1] = words[1];
	channel->put = (channel->put + 1) % RIG_ENTRIES;
}

void rig_submit(struct rig_channel *channel)
{
	struct kt_gpfifo_entry entry = {.address = channel->push + channel->at * 4ull,
					.words = channel->n};
	uint32_t words[2];

	kt_gpfifo_encode(words, &entry);
	rig_entry(channel, words);
	channel->at += channel->n;
	channel->n = 0;
	if (channel->at > RIG_PUSH_BYTES / 8) {
		channel->at = 0;
	}
}

void rig_ring(struct rig_channel *channel)
{
	__atomic_store_n((uint32_t *)(void *)(channel->userd + KT_USERD_GP_PUT),
			 channel->put, __ATOMIC_RELEASE);
}

void rig_run(struct rig *rig)
{
	for (unsigned i = 0; i < RIG_CHANNELS; i++) {
		if (rig->channels[i].channel) {
			rig_ring(&rig->channels[i]);
		}
	}
	while (kt_gpu_step(rig->gpu, NULL)) {
	}
}

uint32_t rig_get(const struct rig_channel *channel)
{
	return __atomic_load_n((uint32_t *)(void *)(channel->userd + KT_USERD_GP_GET),
			       __ATOMIC_ACQUIRE);
}

uint32_t rig_error(const struct rig_channel *channel)
{
	uint16_t status = __atomic_load_n(&channel->notifier->status, __ATOMIC_ACQUIRE);

	return status == 0xffff ? channel->notifier->number : 0;
}

uint64_t rig_errors(struct rig *rig)
{
	struct kt_gpu_counts counts;

	kt_gpu_counts(rig->gpu, &counts);
	return counts.errors;
}

void *rig_at(const struct rig *rig, uint64_t address)
{
	return rig->data + (address - RIG_DATA);
}

#define SET(field, value) kt_bits_set(qmd, KT_QMD_V04_00__##field, (uint32_t)(value))

void rig_qmd(struct rig *rig, uint32_t kernel, uint32_t grid, uint32_t block,
	     const void *arguments, size_t bytes)
{
	uint32_t *qmd = rig_at(rig, RIG_QMD);
	struct kt_gpu_code *code = rig_at(rig, RIG_CODE);
	uint8_t *constants = rig_at(rig, RIG_CONSTANTS);

	memset(qmd, 0, KT_QMD_BYTES);
	SET(QMD_MAJOR_VERSION, 4);
	SET(GRID_WIDTH, grid);
	SET(GRID_HEIGHT, 1);
	SET(GRID_DEPTH, 1);
	SET(CTA_THREAD_DIMENSION0, block);
	SET(CTA_THREAD_DIMENSION1, 1);
	SET(CTA_THREAD_DIMENSION2, 1);
	SET(PROGRAM_ADDRESS_LOWER, RIG_CODE);
	SET(PROGRAM_ADDRESS_UPPER, RIG_CODE >> 32);
	SET(CONSTANT_BUFFER_VALID(0), 1);
	SET(CONSTANT_BUFFER_ADDR_LOWER_SHIFTED6(0), RIG_CONSTANTS >> 6);
	SET(CONSTANT_BUFFER_ADDR_UPPER_SHIFTED6(0), RIG_CONSTANTS >> 38);
	SET(CONSTANT_BUFFER_SIZE_SHIFTED4(0), KT_GPU_CONSTANT_BYTES >> 4);
	code->magic = KT_GPU_CODE_MAGIC;
	code->kernel = kernel;
	memset(constants, 0, KT_GPU_CONSTANT_BYTES);
	memcpy(constants + KT_GPU_ARGUMENTS, arguments, bytes);
}

void rig_launch(struct rig_channel *channel)
{
	rig_method(channel, RIG_COMPUTE, KT_CBC0_SEND_PCAS_A, (uint32_t)(RIG_QMD >> 8));
	rig_header(
		channel, KT_METHOD_IMMEDIATE, RIG_COMPUTE, KT_CBC0_SEND_SIGNALING_PCAS2_B,
		KT_CBC0_SEND_SIGNALING_PCAS2_B__PCAS_ACTION__INVALIDATE_PREFETCH_COPY_SCHEDULE);
}

void rig_copy(struct rig_channel *channel, uint64_t to, uint64_t from, uint32_t bytes)
{
	rig_address(channel, RIG_COPY, KT_C8B5_OFFSET_IN_UPPER, from);
	rig_address(channel, RIG_COPY, KT_C8B5_OFFSET_OUT_UPPER, to);
	rig_method(channel, RIG_COPY, KT_C8B5_LINE_LENGTH_IN, bytes);
	rig_method(channel, RIG_COPY, KT_C8B5_LAUNCH_DMA, 0x182);
}

uint32_t rig_random(uint32_t *state)
{
	*state = *state * 1664525u + 1013904223u;
	return *state >> 8;
}
