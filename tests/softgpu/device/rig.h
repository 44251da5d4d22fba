/* SPDX-License-Identifier: MIT */
/*
 * Test fixture: a device with an address space, some mapped memory and two channels. The
 * data are at GPU address RIG_DATA; rig->data is the device's view of them.
 */
#ifndef KTAIL_TESTS_SOFTGPU_RIG_H
#define KTAIL_TESTS_SOFTGPU_RIG_H

#include "corpus/softgpu/device/engine.h"

#define RIG_CHANNELS   2
#define RIG_ENTRIES    16u
#define RIG_RINGS      UINT64_C(0x100000000)
#define RIG_PUSH       UINT64_C(0x200000000)
#define RIG_PUSH_BYTES 0x100000u /* for each channel */
#define RIG_DATA       UINT64_C(0x300000000)
#define RIG_DATA_BYTES 0x1000000u
#define RIG_QMD        (RIG_DATA + 0xf00000)
#define RIG_CONSTANTS  (RIG_DATA + 0xf01000)
#define RIG_CODE       (RIG_DATA + 0xf02000)

enum { RIG_COMPUTE = 1, RIG_COPY = 4 }; /* subchannels; rig_bind() binds them */

struct rig_channel {
	struct kt_gpu_channel *channel;
	uint32_t token;
	uint64_t ring; /* GPU addresses of the ring and of the pushbuffer */
	uint64_t push;
	uint32_t *entries; /* the device's views of the ring, the pushbuffer and USERD */
	uint32_t *words;
	uint8_t *userd;
	struct kt_abi_notification *notifier;
	uint32_t put;
	uint32_t n;  /* dwords written to the current segment */
	uint32_t at; /* offset of the current segment in the pushbuffer, in dwords */
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
 * Returns false if memory is exhausted. With `steps` the test steps the device by
 * kt_gpu_step(); otherwise the device runs in its own thread.
 */
bool rig_open(struct rig *rig, bool steps);
void rig_close(struct rig *rig);
/* Replaces channel i by a new channel with an empty ring. Returns false on failure. */
bool rig_renew(struct rig *rig, unsigned i);

/*
 * These functions add dwords to the current segment: one dword; a header; a method with its
 * value; two methods that form an address.
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
 * rig_entry() writes an arbitrary entry, rig_submit() writes an entry for the segment, and
 * rig_ring() writes GP_PUT. rig_run() runs the device until no work is left.
 */
void rig_entry(struct rig_channel *channel, const uint32_t words[2]);
void rig_submit(struct rig_channel *channel);
void rig_ring(struct rig_channel *channel);
void rig_run(struct rig *rig);

uint32_t rig_get(const struct rig_channel *channel);
/* Returns the Xid in the channel's notifier, 0 if the channel has had no error. */
uint32_t rig_error(const struct rig_channel *channel);
uint64_t rig_errors(struct rig *rig);
/* Returns the device's view of a GPU address within the data. */
void *rig_at(const struct rig *rig, uint64_t address);

/*
 * rig_qmd() writes a QMD for a kernel at RIG_QMD and its constants from `arguments`;
 * rig_launch() adds the methods that launch it.
 */
void rig_qmd(struct rig *rig, uint32_t kernel, uint32_t grid, uint32_t block,
	     const void *arguments, size_t bytes);
void rig_launch(struct rig_channel *channel);
void rig_copy(struct rig_channel *channel, uint64_t to, uint64_t from, uint32_t bytes);

/* Returns the next pseudo-random number; the sequence is the same in each run. */
uint32_t rig_random(uint32_t *state);

#endif
