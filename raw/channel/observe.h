/* SPDX-License-Identifier: MIT */
/*
 * What the process has asked of the kernel driver: its objects, CPU mappings and channels.
 * The functions of interpose.c fill it. Thread-safe until kt_observed() is called; after
 * that, the caller must not use libcuda while it reads the result.
 */
#ifndef KTAIL_RAW_OBSERVE_H
#define KTAIL_RAW_OBSERVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "decode/rm/object-table.h"

#define KT_OBSERVED_ENGINES 8

/* A CPU mapping of an RM object. */
struct kt_observed_mapping {
	uintptr_t start;
	size_t length;
	uint32_t client;
	uint32_t object;
	uint32_t class_number;
	uint64_t offset; /* in the object */
	bool writable;
};

struct kt_observed_channel {
	uint32_t client;
	uint32_t object;
	uint32_t class_number;
	uint32_t userd_memory;
	uint64_t userd_offset;
	uint32_t error_memory;
	uint64_t ring;
	uint32_t entries;
	bool has_token;
	uint32_t token;
	uint32_t engines[KT_OBSERVED_ENGINES];
	size_t n_engines;
};

struct kt_observed {
	struct kt_observed_mapping *mappings; /* in the order in which they were made */
	size_t n_mappings, mappings_capacity;
	struct kt_observed_channel *channels;
	size_t n_channels, channels_capacity;
	bool incomplete; /* memory ran out: something is missing */
};

const struct kt_observed *kt_observed(void);

/*
 * Returns the CPU address of `bytes` bytes at an offset of an object; NULL if they are not
 * mapped. O(mappings).
 */
void *kt_observed_memory(uint32_t client, uint32_t object, uint64_t offset, size_t bytes);

/* Returns the mapping that contains the CPU address; NULL if none does. O(mappings). */
const struct kt_observed_mapping *kt_observed_mapping(uint64_t address, size_t bytes);

/* Reads the driver's release; before the first of the next functions. */
void kt_observe_begin(void);

/* Called by interpose.c, in the order of the system calls. */
void kt_observe_ioctl(unsigned long request, void *argument, int result);
void kt_observe_mmap(void *start, size_t length, int protection, int fd);
void kt_observe_munmap(void *start, size_t length);

#endif
