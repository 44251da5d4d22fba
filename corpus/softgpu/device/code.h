/* SPDX-License-Identifier: MIT */
/*
 * The model's machine code: the code of a kernel is KT_GPU_CODE_BYTES bytes in device
 * memory that name one of the built-in kernels. A QMD's program address points to the code;
 * constant bank 0 holds the arguments at KT_GPU_ARGUMENTS, as on Hopper.
 */
#ifndef KTAIL_SOFTGPU_CODE_H
#define KTAIL_SOFTGPU_CODE_H

#include <stdint.h>

#define KT_GPU_CODE_MAGIC UINT64_C(0x2f6c6961746b5047) /* "GPktail/" */
#define KT_GPU_CODE_BYTES 256

struct kt_gpu_code {
	uint64_t magic;
	uint32_t kernel; /* enum kt_gpu_kernel */
	uint32_t unused;
};

enum kt_gpu_kernel {
	KT_GPU_VECTOR_ADD = 1, /* a, b, c, n: c[i] = a[i] + b[i], i < n */
	KT_GPU_SCALE,          /* x, n, factor, addend: x[i] = x[i] * factor + addend */
	KT_GPU_REDUCE,         /* x, sum, n: *sum += each x[i] */
	KT_GPU_SPIN,           /* counter, ticks: waits, then *counter += 1 per thread */
	KT_GPU_KERNELS,
};

/*
 * Offset of the first argument in constant bank 0. Each argument is aligned to its size:
 * 64 bits for addresses and ticks, 32 bits for all others. Array elements are unsigned
 * 32-bit numbers, and thread i of a launch processes element i.
 */
#define KT_GPU_ARGUMENTS 0x210
/* Size of a launch's constant bank, a multiple of 256. */
#define KT_GPU_CONSTANT_BYTES 0x300

/* Values of a QMD's DEPENDENT_QMD_ACTION that are modelled: clcbc0qmd.h of open-gpu-doc. */
#define KT_GPU_QMD_SCHEDULE             1
#define KT_GPU_QMD_DECREMENT_DEPENDENCE 4

/* One row per kernel: name in PTX, number, size of each argument in bytes (one digit). */
#define KT_GPU_KERNEL_TABLE(X)                                                             \
	X("vector_add", KT_GPU_VECTOR_ADD, "8884")                                         \
	X("scale", KT_GPU_SCALE, "8444")                                                   \
	X("reduce", KT_GPU_REDUCE, "884")                                                  \
	X("spin", KT_GPU_SPIN, "88")

/* Ticks of `spin` per microsecond: 1.755 GHz is a common boost clock of Hopper GPUs. */
#define KT_GPU_TICKS_PER_MICROSECOND 1755

#endif
