/* SPDX-License-Identifier: MIT */
/*
 * Finds memory of libcuda's that libcuda does not use: a run of zeroes in a mapping. It
 * stays libcuda's, so each use must check that the memory still is as it was left.
 */
#ifndef KTAIL_RAW_IDLE_SPACE_H
#define KTAIL_RAW_IDLE_SPACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Memory at the same address on CPU and GPU. */
struct kt_idle_space {
	uintptr_t start; /* a multiple of 4096 */
	size_t length;
};

/*
 * Finds the longest run of whole pages of zeroes in start[0..length) and sets *out to its
 * last half, at most `most` bytes; libcuda fills memory from the beginning. Returns false
 * if the half has no page. O(length).
 */
bool kt_idle_space_find(struct kt_idle_space *out, const void *start, size_t length,
			size_t most);

/*
 * Sets *out to the last half of *space, at most `most` bytes in whole pages, and takes it
 * from *space. Returns false, and changes nothing, if *space has only one page.
 */
bool kt_idle_space_split(struct kt_idle_space *space, struct kt_idle_space *out,
			 size_t most);

#endif
