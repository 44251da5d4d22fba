/* SPDX-License-Identifier: MIT */
/*
 * The workloads' kernels as PTX text for cuModuleLoadData, which compiles it for whatever
 * device there is. All have unsigned 32-bit elements, so results are exact and wrap around.
 *
 *   vector_add(a, b, c, n)              c[i] = a[i] + b[i] for i < n
 *   scale(x, n, factor, addend)         x[i] = x[i] * factor + addend for i < n
 *   spin(counter, ticks)                one thread waits for that many clock ticks of its
 *                                       multiprocessor and then adds 1 to *counter
 *
 * Pointers and ticks are 64 bits wide, the rest 32.
 */
#ifndef KTAIL_CORPUS_KERNELS_H
#define KTAIL_CORPUS_KERNELS_H

extern const char kt_kernels_ptx[];

/* Threads in a block of vector_add and scale; the grid covers n. */
#define KT_BLOCK   256u
#define KT_GRID(n) (((unsigned)(n) + KT_BLOCK - 1) / KT_BLOCK)

#endif
