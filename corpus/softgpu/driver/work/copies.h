/* SPDX-License-Identifier: MIT */
/*
 * Copies between host and device. With DMA a copy to the device of up to KT_INLINE_BYTES
 * is sent inside the command stream, unless it reads page-locked memory while earlier
 * work is pending; larger copies and copies to the host use the copy engine. The other
 * methods of enum kt_transfer apply to copies of all sizes.
 */
#ifndef KTAIL_SOFTGPU_COPIES_H
#define KTAIL_SOFTGPU_COPIES_H

#include "corpus/softgpu/driver/work/stream.h"

/* Adds a copy to the device by inline data of the compute class, up to KT_INLINE_BYTES. */
void kt_push_inline(struct kt_push *push, uint64_t to, const void *data, size_t bytes);
/* Adds a copy between GPU addresses by the copy engine. */
void kt_push_copy(struct kt_push *push, uint64_t to, uint64_t from, uint64_t bytes);

/*
 * Returns KT_CU_INVALID_VALUE unless the bytes lie within one allocation of the context's
 * device memory.
 */
int kt_copy_check(struct kt_context *context, uint64_t address, uint64_t bytes);

/*
 * With `wait`, the copy is done on return. Without `wait`, the copy may be pending, but it
 * no longer accesses pageable memory.
 */
int kt_copy_to_device(const struct kt_target *target, uint64_t to, const void *from,
		      size_t bytes, bool wait);
int kt_copy_from_device(const struct kt_target *target, void *to, uint64_t from,
			size_t bytes, bool wait);
int kt_copy_on_device(const struct kt_target *target, uint64_t to, uint64_t from,
		      size_t bytes, bool wait);

/* Fills n elements of `element` bytes (1 or 4); the fill is done on return. */
int kt_copy_fill(const struct kt_target *target, uint64_t to, uint32_t value,
		 unsigned element, size_t n);

/*
 * Copies from the host to new device memory, in submissions of at most KT_INLINE_BYTES to
 * the default stream; the copy is done on return.
 */
int kt_copy_upload(struct kt_context *context, uint64_t to, const void *from, size_t bytes);

#endif
