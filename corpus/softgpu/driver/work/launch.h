/* SPDX-License-Identifier: MIT */
/*
 * Launches of kernels. A launch needs a slot of device memory with a descriptor (QMD 4.0)
 * and a constant bank 0 in it; both are written by inline-to-memory, then the descriptor's
 * address is sent to the compute class.
 *
 * A channel executes its submissions one after another, and each ends with a release that
 * comes after its work. So a slot of a channel may be written again by any later submission
 * to that channel: when that is executed, the launch that used the slot is done.
 */
#ifndef KTAIL_SOFTGPU_LAUNCH_H
#define KTAIL_SOFTGPU_LAUNCH_H

#include "corpus/softgpu/device/code.h"
#include "corpus/softgpu/driver/work/stream.h"
#include "decode/method-names.h"

/*
 * Modules: the entries that a PTX text names. The built-in kernels among them
 * (KT_GPU_KERNEL_TABLE) get their code into device memory when the module is loaded.
 */
struct kt_function {
	struct kt_object object;
	char *name;            /* Owned by this */
	uint32_t kernel;       /* enum kt_gpu_kernel; 0: none that is built in */
	const char *arguments; /* their bytes, a digit each. Static */
	uint64_t code;         /* GPU address */
};

struct kt_module {
	struct kt_object object;
	struct kt_function *functions; /* Owned by this */
	size_t n;
	uint64_t code; /* of all built-in kernels, in the context's heap; 0: none */
};

int kt_module_load(struct kt_module **out, struct kt_context *context, const char *image);
/* KT_CU_NOT_FOUND: no such entry; KT_CU_NOT_SUPPORTED: no built-in kernel. */
int kt_module_function(const struct kt_module *module, const char *name,
		       struct kt_function **out);
/* Of one that no handle leads to any more; waits until all launches are done. */
int kt_module_free(struct kt_module *module);

/* Where things are in a slot; each begins at a multiple of 256. */
#define KT_LAUNCH_QMD        0
#define KT_LAUNCH_CONSTANTS  512
#define KT_LAUNCH_SLOT_BYTES (KT_LAUNCH_CONSTANTS + KT_GPU_CONSTANT_BYTES)

/* In the constant bank, right before the arguments: x, y, z of a block, of the grid, 0, 0.
 */
#define KT_LAUNCH_DIMENSIONS 0x1f0

#define KT_LAUNCH_ARGUMENT_BYTES 32 /* what the largest of the built-in kernels takes */

struct kt_launch {
	uint64_t code; /* GPU address */
	uint32_t shared_bytes;
	struct { /* as in the constant bank from KT_LAUNCH_DIMENSIONS on */
		uint32_t block[3];
		uint32_t grid[3];
		uint32_t unused[2];
		uint8_t arguments[KT_LAUNCH_ARGUMENT_BYTES];
	} constants;
	uint32_t constants_bytes; /* of that, what is used */
};

/* Of cuLaunchKernel: arguments as an array of addresses, or packed in `extra`. */
int kt_launch_make(struct kt_launch *out, const struct kt_function *function,
		   const unsigned grid[3], const unsigned block[3], unsigned shared_bytes,
		   void **parameters, void **extra);

/* The descriptor for a launch whose slot is at that GPU address. */
void kt_launch_describe(uint32_t qmd[KT_QMD_BYTES / 4], const struct kt_launch *launch,
			uint64_t slot);
/* Starts the launch that a slot describes. */
void kt_push_launch(struct kt_push *push, uint64_t slot);

int kt_launch_submit(const struct kt_target *target, const struct kt_launch *launch);

#endif
