/* SPDX-License-Identifier: MIT */
/*
 * Ranges of the process's addresses, taken before anything is mapped there: a GPU address
 * is the address of the same memory in the process, and so never one of something else.
 */
#ifndef KTAIL_SOFTGPU_DRIVER_ADDRESSES_H
#define KTAIL_SOFTGPU_DRIVER_ADDRESSES_H

#include <stdint.h>

/* 2 MiB-aligned, anywhere. 0: there is none. `bytes` are whole pages. */
uint64_t kt_addresses_take(uint64_t bytes);
/* The same below 2^40: what ring entries can hold. */
uint64_t kt_addresses_take_low(uint64_t bytes);
/* Also after something was mapped over the range. */
void kt_addresses_give(uint64_t address, uint64_t bytes);

#endif
