/* SPDX-License-Identifier: MIT */
/*
 * Test fixture: a device with an address space, some mapped memory and two channels. Data
 * lie at RIG_DATA (GPU address); rig->data is the device's view of them.
 */
#ifndef KTAIL_TESTS_SOFTGPU_RIG_H
#define KTAIL_TESTS_SOFTGPU_RIG_H

#include "corpus/softgpu/device/engine.h"

#define RIG_CHANNELS   2
#define RIG_ENTRIES    16u
#define RIG_RINGS      UINT64_C(0x100000000)
#define RIG_PUSH       UINT64_C(0x200000000)
#define RIG_PUSH_BYTES 0x100000u /* per channel */
#define RIG_DATA       UINT64_C(0x300000000)
#define RIG_DATA_BYTES 0x1000000u
#define RIG_QMD        (RIG_DATA + 0xf00000)
#define RIG_CONSTANTS  (RIG_DATA + 0xf01000)
#define RIG_CODE       (RIG_DATA + 0xf02000)

enum { RIG_COMPUTE = 1, RIG_COPY = 4 }; /* subchannels, bound by rig_open */

struct rig_channel {
	struct kt_gpu_channel *channel;
	uint32_t token;
	uint64_t ring; /* GPU address */
	uint64_t push;
	uint32_t *entries; /* the device's views of the ring, the segment and USERD */
	uint32_t *words;
	uint8_t *userd;
	struct kt_abi_notification *notifier;
	uint32_t put;
	uint32_t n;  /* dwords in the segment that is being written */
	uint32_t at; /* offset of that segment's start */
};

struct rig {
	struct kt_gpu *gpu;
	struct kt_gpu_space *space;
	uint64_t rings_physical;
	uint64_t data_physical;
	uint8_t *data;
	struct rig_channel channels[RIG_CHANNELS];
};

/*
 * Returns false if memory is exhausted. With `steps` the test steps the device by hand,
 * otherwise the device has its thread.
 */
bool rig_open(struct rig *rig, bool steps);
void rig_close(struct rig *rig);
/* Replaces channel i by a new one with an empty ring. */
bool rig_renew(struct rig *rig, unsigned i);

/*
 * Add dwords to the segment: one dword; a header; one method with its value; two methods
 * that form an address.
 */
void rig_word(struct rig_channel *channel, uint32_t word);
void rig_header(struct rig_channel *channel, enum kt_method_op op, unsigned subchannel,
		unsigned offset, unsigned n);
void rig_method(struct rig_channel *channel, unsigned subchannel, unsigned offset,
		uint32_t value);
void rig_address(struct rig_channel *channel, unsigned subchannel, unsigned offset,
		 uint64_t address);
void rig_bind(struct rig_channel *channel);
void rig_acquire(struct rig_channel *channel, uint64_t address, uint32_t value);
void rig_release(struct rig_channel *channel, uint64_t address, uint32_t value);

/*
 * rig_entry() writes an arbitrary entry, rig_submit() an entry for the segment,
 * rig_ring() GP_PUT. rig_run() runs the device until nothing is left to do.
 */
void rig_entry(struct rig_channel *channel, const uint32_t words[2]);
void rig_submit(struct rig_channel *channel);
void rig_ring(struct rig_channel *channel);
void rig_run(struct rig *rig);

uint32_t rig_get(const struct rig_channel *channel);
/* Returns the Xid in the notifier, 0 if the channel is alive. */
uint32_t rig_error(const struct rig_channel *channel);
uint64_t rig_errors(struct rig *rig);
/* Returns the device's view of a GPU address of the data. */
void *rig_at(const struct rig *rig, uint64_t address);

/* Writes a QMD for a kernel at RIG_QMD and its constants from `arguments`; launches it. */
void rig_qmd(struct rig *rig, uint32_t kernel, uint32_t grid, uint32_t block,
	     const void *arguments, size_t bytes);
void rig_launch(struct rig_channel *channel);
void rig_copy(struct rig_channel *channel, uint64_t to, uint64_t from, uint32_t bytes);

/* Returns pseudo-random numbers, the same ones in each run. */
uint32_t rig_random(uint32_t *state);

#endif
