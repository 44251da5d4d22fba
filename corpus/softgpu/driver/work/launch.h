/* SPDX-License-Identifier: MIT */
/*
 * Kernel launches. A launch uses a slot of device memory that holds a descriptor (QMD
 * 4.0) and constant bank 0. Both are written by inline-to-memory, then the descriptor's
 * address is sent to the compute class.
 *
 * A channel executes its submissions in order, and each submission ends with a release that
 * is executed after the submission's work. Any later submission to the channel can thus
 * reuse a slot: when the later submission executes, the launch that used the slot is done.
 */
#ifndef KTAIL_SOFTGPU_LAUNCH_H
#define KTAIL_SOFTGPU_LAUNCH_H

#include "corpus/softgpu/device/code.h"
#include "corpus/softgpu/driver/work/cubin.h"
#include "corpus/softgpu/driver/work/stream.h"
#include "decode/method-names.h"

/*
 * Modules: the entries named in a PTX text, or the kernels of a cubin. If an entry of a PTX
 * text is a built-in kernel (KT_GPU_KERNEL_TABLE), its code for this device is written to
 * device memory when the module is loaded.
 */
struct kt_function {
	struct kt_object object;
	char *name; /* Owned by this */
	bool known; /* false: not a built-in kernel */
	struct kt_kernel_needs needs;
	uint64_t code; /* GPU address */
};

struct kt_module {
	struct kt_object object;
	struct kt_function *functions; /* Owned by this */
	size_t n;
	uint64_t code; /* GPU address of the code, in the context's heap; 0: none */
};

/*
 * `image` is PTX text that ends with a zero byte, or a cubin, which the device must run.
 * Returns KT_CU_NOT_SUPPORTED for a kernel with more than KT_LAUNCH_ARGUMENT_BYTES.
 */
int kt_module_load(struct kt_module **out, struct kt_context *context, const char *image);
/*
 * Returns KT_CU_NOT_FOUND if the module has no entry with this name, KT_CU_NOT_SUPPORTED if
 * the entry is not a built-in kernel.
 */
int kt_module_function(const struct kt_module *module, const char *name,
		       struct kt_function **out);
/*
 * Waits until all launches are done and frees the module, which must have been removed
 * from the object table.
 */
int kt_module_free(struct kt_module *module);

/* Layout of a slot; each part starts at a multiple of 256. */
#define KT_LAUNCH_QMD        0
#define KT_LAUNCH_CONSTANTS  512
#define KT_LAUNCH_SLOT_BYTES (KT_LAUNCH_CONSTANTS + KT_GPU_CONSTANT_BYTES)

#define KT_LAUNCH_ARGUMENT_BYTES (KT_GPU_CONSTANT_BYTES - KT_GPU_ARGUMENTS)

/* Offset of the tail in the constant bank. */
#define KT_LAUNCH_TAIL (KT_GPU_ARGUMENTS - 8)

struct kt_launch {
	uint64_t code; /* GPU address */
	uint32_t registers;
	uint32_t barriers;
	uint32_t shared_bytes;
	uint32_t stack_bytes;
	/*
	 * The constant bank begins with the head, as NVIDIA's driver writes it for Hopper;
	 * machine code reads these places. What is between head and tail is not read.
	 */
	struct {
		uint32_t block[3];
		uint32_t grid[3];
		uint64_t shared_window; /* addresses at which threads see shared memory */
		uint64_t local_window;
		uint32_t stack; /* end of a thread's stack in its local memory */
		uint32_t unused;
	} constants;
	struct {
		uint64_t descriptor; /* of global memory: 0 */
		uint8_t arguments[KT_LAUNCH_ARGUMENT_BYTES];
	} tail;
	uint32_t tail_bytes; /* bytes of `tail` in use */
};

/*
 * Prepares a launch for cuLaunchKernel. Arguments are given as an array of addresses in
 * `parameters`, or packed in `extra`. Returns KT_CU_OUT_OF_RESOURCES for a block that the
 * kernel was not compiled for, or that has too many registers.
 */
int kt_launch_make(struct kt_launch *out, const struct kt_function *function,
		   const unsigned grid[3], const unsigned block[3], unsigned shared_bytes,
		   void **parameters, void **extra);

/* Encodes the descriptor of a launch that uses the slot at GPU address `slot`. */
void kt_launch_describe(uint32_t qmd[KT_QMD_BYTES / 4], const struct kt_launch *launch,
			uint64_t slot);
/*
 * Encodes that the launch in slot `next` begins when this launch is done: at once or, if
 * `decrement` is set, when the other dependences of the launch in `next` are gone as well.
 */
void kt_launch_chain(uint32_t qmd[KT_QMD_BYTES / 4], uint64_t next, bool decrement);
/* Encodes how many dependences the launch waits for. */
void kt_launch_depend(uint32_t qmd[KT_QMD_BYTES / 4], uint32_t dependences);
/* Adds the commands that start the launch described by the slot: 16 bytes. */
void kt_push_launch(struct kt_push *push, uint64_t slot);
/* Adds the commands that remove a dependence of the launch: 16 bytes. */
void kt_push_decrement(struct kt_push *push, uint64_t slot);

int kt_launch_submit(const struct kt_target *target, const struct kt_launch *launch);

#endif
