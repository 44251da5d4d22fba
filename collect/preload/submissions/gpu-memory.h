/* SPDX-License-Identifier: MIT */
/*
 * Where memory that a GPU address names can be read by the processor. In this order:
 *
 * 1. A device mapping of the process at the same address: so it is with libcuda, which
 *    gives rings, USERDs and pushbuffers one address for both sides.
 * 2. Registered user memory, at its own address.
 * 3. What the ioctls have said that map memory objects into a GPU's address space: the CPU
 *    mapping of that object. Of several that were made there, the last one.
 *
 * Device memory is read through the recorder's second mapping of it where there is one, so
 * closed pages stay closed. Registers and managed memory are never read: that would change
 * them. The lock is held for all functions here.
 */
#ifndef KTAIL_COLLECT_GPU_MEMORY_H
#define KTAIL_COLLECT_GPU_MEMORY_H

#include <stddef.h>
#include <stdint.h>

/*
 * How many of the bytes at `address` can be read, from the first on. Where it is fewer
 * than asked for, *why says the reason, a static text. Touches no memory. O(log n)
 * for memory at equal addresses, O(n) for other.
 */
uint64_t kt_gpu_reach(uint64_t address, uint64_t bytes, const char **why);

/*
 * Copies them, in units of 16, 8 and 4 bytes, and says how many it could. Takes no
 * fault that the program would see. `address` and `bytes` are multiples of 4. Loads from
 * memory of the device are counted: each crosses the bus.
 */
size_t kt_gpu_read(void *to, uint64_t address, size_t bytes, const char **why);

#endif
