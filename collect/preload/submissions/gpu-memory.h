/* SPDX-License-Identifier: MIT */
/*
 * Finds memory that the processor can read for a GPU address. In this order:
 *
 * 1. A device mapping of the process at the same address: libcuda gives rings, USERDs and
 *    pushbuffers the same address on GPU and CPU.
 * 2. Registered user memory, at its own address.
 * 3. The CPU mapping of the memory object that an ioctl has mapped at that GPU address. If
 *    the object has several CPU mappings, the one added last.
 *
 * Device memory is read through the recorder's second mapping if there is one, so closed
 * pages stay closed. Registers and managed memory are never read: a read would change them.
 * The caller holds the lock.
 */
#ifndef KTAIL_COLLECT_GPU_MEMORY_H
#define KTAIL_COLLECT_GPU_MEMORY_H

#include <stddef.h>
#include <stdint.h>

/*
 * Returns how many bytes from `address` on can be read. If these are fewer than `bytes`,
 * *why is the reason, a static text. Does not touch the memory. O(log n) for memory at
 * equal addresses, else O(n).
 */
uint64_t kt_gpu_reach(uint64_t address, uint64_t bytes, const char **why);

/*
 * Copies in units of 16, 8 and 4 bytes and returns the number of bytes copied. Causes no
 * fault that the program would notice. `address` and `bytes` are multiples of 4. Loads from
 * device memory are counted, because each load crosses the bus.
 */
size_t kt_gpu_read(void *to, uint64_t address, size_t bytes, const char **why);

#endif
