/* SPDX-License-Identifier: MIT */
#include "corpus/softgpu/driver/work/launch.h"

#include <stdatomic.h>
#include <string.h>

#include "corpus/softgpu/driver/work/copies.h"
#include "decode/bits.h"

_Static_assert(KT_LAUNCH_DIMENSIONS + 32 == KT_GPU_ARGUMENTS, "arguments follow");
_Static_assert(KT_GPU_ARGUMENTS + KT_LAUNCH_ARGUMENT_BYTES <= KT_GPU_CONSTANT_BYTES,
	       "room");
_Static_assert(KT_LAUNCH_SLOT_BYTES % 256 == 0, "the next slot's descriptor is aligned");

/* Limits of compute capability 9.0 (CUDA C++ Programming Guide, "Compute Capabilities"). */
#define MAX_GRID_X  0x7fffffffu
#define MAX_GRID_YZ 65535u
#define MAX_BLOCK   1024u
#define MAX_BLOCK_Z 64u
#define MAX_SHARED  49152u

/* What `extra` may say: pairs of a name and a value, then END. */
#define EXTRA_END    ((uintptr_t)0)
#define EXTRA_BUFFER ((uintptr_t)1)
#define EXTRA_SIZE   ((uintptr_t)2)

static int unpack(struct kt_launch *launch, void **extra, size_t bytes)
{
	const void *buffer = NULL;
	size_t size = 0;

	for (size_t i = 0; (uintptr_t)extra[i] != EXTRA_END; i += 2) {
		if ((uintptr_t)extra[i] == EXTRA_BUFFER) {
			buffer = extra[i + 1];
		} else if ((uintptr_t)extra[i] == EXTRA_SIZE && extra[i + 1]) {
			memcpy(&size, extra[i + 1], sizeof(size));
		} else {
			return KT_CU_INVALID_VALUE;
		}
	}
	if (!buffer || size < bytes) {
		return KT_CU_INVALID_VALUE;
	}
	memcpy(launch->constants.arguments, buffer, bytes);
	return KT_CU_OK;
}

static size_t after(size_t at, size_t bytes)
{
	return (at + bytes - 1) / bytes * bytes + bytes;
}

int kt_launch_make(struct kt_launch *out, const struct kt_function *function,
		   const unsigned grid[3], const unsigned block[3], unsigned shared_bytes,
		   void **parameters, void **extra)
{
	const char *sizes = function->arguments;
	uint8_t *arguments = out->constants.arguments;
	size_t bytes = 0;

	*out = (struct kt_launch){.code = function->code, .shared_bytes = shared_bytes};
	if (!grid[0] || !grid[1] || !grid[2] || !block[0] || !block[1] || !block[2] ||
	    grid[0] > MAX_GRID_X || grid[1] > MAX_GRID_YZ || grid[2] > MAX_GRID_YZ ||
	    block[0] > MAX_BLOCK || block[1] > MAX_BLOCK || block[2] > MAX_BLOCK_Z ||
	    block[0] * block[1] * block[2] > MAX_BLOCK || shared_bytes > MAX_SHARED) {
		return KT_CU_INVALID_VALUE;
	}
	for (unsigned i = 0; i < 3; i++) {
		out->constants.grid[i] = grid[i];
		out->constants.block[i] = block[i];
	}
	for (const char *size = sizes; *size; size++) {
		bytes = after(bytes, (size_t)(*size - '0'));
	}
	if (bytes > sizeof(out->constants.arguments)) {
		return KT_CU_NOT_SUPPORTED;
	}
	out->constants_bytes = (uint32_t)(KT_GPU_ARGUMENTS - KT_LAUNCH_DIMENSIONS + bytes);
	if ((parameters != NULL) == (extra != NULL)) {
		return KT_CU_INVALID_VALUE;
	}
	if (extra) {
		return unpack(out, extra, bytes);
	}
	bytes = 0;
	for (size_t i = 0; sizes[i]; i++) {
		size_t size = (size_t)(sizes[i] - '0');

		if (!parameters[i]) {
			return KT_CU_INVALID_VALUE;
		}
		bytes = after(bytes, size);
		memcpy(arguments + bytes - size, parameters[i], size);
	}
	return KT_CU_OK;
}

void kt_launch_describe(uint32_t qmd[KT_QMD_BYTES / 4], const struct kt_launch *launch,
			uint64_t slot)
{
	uint64_t constants = slot + KT_LAUNCH_CONSTANTS;

	memset(qmd, 0, KT_QMD_BYTES);
	kt_bits_set(qmd, KT_QMD_V04_00__QMD_MAJOR_VERSION, 4);
	kt_bits_set(qmd, KT_QMD_V04_00__QMD_MINOR_VERSION, 0);
	kt_bits_set(qmd, KT_QMD_V04_00__GRID_WIDTH, launch->constants.grid[0]);
	kt_bits_set(qmd, KT_QMD_V04_00__GRID_HEIGHT, launch->constants.grid[1]);
	kt_bits_set(qmd, KT_QMD_V04_00__GRID_DEPTH, launch->constants.grid[2]);
	kt_bits_set(qmd, KT_QMD_V04_00__CTA_THREAD_DIMENSION0, launch->constants.block[0]);
	kt_bits_set(qmd, KT_QMD_V04_00__CTA_THREAD_DIMENSION1, launch->constants.block[1]);
	kt_bits_set(qmd, KT_QMD_V04_00__CTA_THREAD_DIMENSION2, launch->constants.block[2]);
	kt_bits_set(qmd, KT_QMD_V04_00__SHARED_MEMORY_SIZE, launch->shared_bytes);
	kt_bits_set(qmd, KT_QMD_V04_00__PROGRAM_ADDRESS_LOWER, (uint32_t)launch->code);
	kt_bits_set(qmd, KT_QMD_V04_00__PROGRAM_ADDRESS_UPPER,
		    (uint32_t)(launch->code >> 32));
	kt_bits_set(qmd, KT_QMD_V04_00__CONSTANT_BUFFER_VALID(0), 1);
	kt_bits_set(qmd, KT_QMD_V04_00__CONSTANT_BUFFER_INVALIDATE(0), 1);
	kt_bits_set(qmd, KT_QMD_V04_00__CONSTANT_BUFFER_ADDR_LOWER_SHIFTED6(0),
		    (uint32_t)(constants >> 6));
	kt_bits_set(qmd, KT_QMD_V04_00__CONSTANT_BUFFER_ADDR_UPPER_SHIFTED6(0),
		    (uint32_t)(constants >> 38));
	kt_bits_set(qmd, KT_QMD_V04_00__CONSTANT_BUFFER_SIZE_SHIFTED4(0),
		    KT_GPU_CONSTANT_BYTES >> 4);
}

void kt_push_launch(struct kt_push *push, uint64_t slot)
{
	kt_push_methods(push, KT_SUBCHANNEL_COMPUTE, KT_CBC0_SEND_PCAS_A, 1);
	kt_push_word(push, (uint32_t)((slot + KT_LAUNCH_QMD) >> 8));
	kt_push_method(
		push, KT_SUBCHANNEL_COMPUTE, KT_CBC0_SEND_SIGNALING_PCAS2_B,
		kt_bits(KT_CBC0_SEND_SIGNALING_PCAS2_B__PCAS_ACTION,
			KT_CBC0_SEND_SIGNALING_PCAS2_B__PCAS_ACTION__INVALIDATE_PREFETCH_COPY_SCHEDULE));
}

int kt_launch_submit(const struct kt_target *target, const struct kt_launch *launch)
{
	KT_SUBMITTING(LAUNCH);
	/* The next slot of the channel's share. Any would be right, see launch.h; that they
	 * go round is how a driver with launches side by side does it. */
	static _Atomic uint32_t launches;
	const struct kt_memory *memory = &target->context->launches;
	uint64_t slots = memory->bytes / KT_LAUNCH_SLOT_BYTES / KT_CHANNELS;
	uint64_t number =
		target->channel->index * slots + atomic_fetch_add(&launches, 1) % slots;
	uint64_t slot = memory->address + number * KT_LAUNCH_SLOT_BYTES;
	uint32_t qmd[KT_QMD_BYTES / 4];
	struct kt_push push = {0};
	int code;

	kt_launch_describe(qmd, launch, slot);
	kt_push_inline(&push, slot + KT_LAUNCH_CONSTANTS + KT_LAUNCH_DIMENSIONS,
		       &launch->constants, launch->constants_bytes);
	kt_push_inline(&push, slot + KT_LAUNCH_QMD, qmd, sizeof(qmd));
	kt_push_launch(&push, slot);
	code = kt_target_submit(target, &push, NULL);
	kt_push_free(&push);
	return code;
}
