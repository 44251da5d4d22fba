/* SPDX-License-Identifier: MIT */
/*
 * A device with a space, some mapped memory and two channels, for tests. Data lie at
 * RIG_DATA (GPU address), of which rig->data is the device's own view.
 */
#ifndef KTAIL_TESTS_SOFTGPU_RIG_H
#define KTAIL_TESTS_SOFTGPU_RIG_H

#include "corpus/softgpu/device/engine.h"

#define RIG_CHANNELS   2
#define RIG_ENTRIES    16u
#define RIG_RINGS      UINT64_C(0x100000000)
#define RIG_PUSH       UINT64_C(0x200000000)
#define RIG_PUSH_BYTES 0x100000u /* of a channel */
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
	uint32_t *entries; /* views */
	uint32_t *words;
	uint8_t *userd;
	struct kt_abi_notification *notifier;
	uint32_t put;
	uint32_t n;  /* words of the segment that is being written */
	uint32_t at; /* where it begins */
};

struct rig {
	struct kt_gpu *gpu;
	struct kt_gpu_space *space;
	uint64_t rings_physical;
	uint64_t data_physical;
	uint8_t *data;
	struct rig_channel channels[RIG_CHANNELS];
};

/* False: no memory. `steps`: by hand, else with its thread. */
bool rig_open(struct rig *rig, bool steps);
void rig_close(struct rig *rig);
/* A new channel in the place of the i-th; its ring is empty again. */
bool rig_renew(struct rig *rig, unsigned i);

/* Words of a segment: a header, data; one method; two methods that make an address. */
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

/* An entry as it is; what was written as an entry; GP_PUT; all that can be done is done. */
void rig_entry(struct rig_channel *channel, const uint32_t words[2]);
void rig_submit(struct rig_channel *channel);
void rig_ring(struct rig_channel *channel);
void rig_run(struct rig *rig);

uint32_t rig_get(const struct rig_channel *channel);
/* The Xid in the notifier, 0 if it is alive. */
uint32_t rig_error(const struct rig_channel *channel);
uint64_t rig_errors(struct rig *rig);
/* What a GPU address of the data shows. */
void *rig_at(const struct rig *rig, uint64_t address);

/* A QMD at RIG_QMD for a kernel, its constants from `arguments`; then its launch. */
void rig_qmd(struct rig *rig, uint32_t kernel, uint32_t grid, uint32_t block,
	     const void *arguments, size_t bytes);
void rig_launch(struct rig_channel *channel);
void rig_copy(struct rig_channel *channel, uint64_t to, uint64_t from, uint32_t bytes);

/* Numbers that look random: the same ones in each run. */
uint32_t rig_random(uint32_t *state);

#endif
