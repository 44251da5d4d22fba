/* SPDX-License-Identifier: MIT */
/*
 * Copies between host and device. A copy to the device of up to KT_INLINE_BYTES goes inside
 * the command stream, unless it is from locked memory with work under way before it; what
 * is larger, and all that comes back, by the method that was chosen. The
 * others of enum kt_transfer are for copies of all sizes.
 */
#ifndef KTAIL_SOFTGPU_COPIES_H
#define KTAIL_SOFTGPU_COPIES_H

#include "corpus/softgpu/driver/work/stream.h"

/* Data in the commands: by the compute class's inline-to-memory, up to KT_INLINE_BYTES. */
void kt_push_inline(struct kt_push *push, uint64_t to, const void *data, size_t bytes);
/* A copy between GPU addresses by the copy engine. */
void kt_push_copy(struct kt_push *push, uint64_t to, uint64_t from, uint64_t bytes);

/* Whether the bytes lie in one piece of the context's device memory; else INVALID_VALUE. */
int kt_copy_check(struct kt_context *context, uint64_t address, uint64_t bytes);

/* `wait`: it is done on return; else it may be, and is where the memory is pageable. */
int kt_copy_to_device(const struct kt_target *target, uint64_t to, const void *from,
		      size_t bytes, bool wait);
int kt_copy_from_device(const struct kt_target *target, void *to, uint64_t from,
			size_t bytes, bool wait);
int kt_copy_on_device(const struct kt_target *target, uint64_t to, uint64_t from,
		      size_t bytes, bool wait);

/* n elements of 1 or 4 bytes. */
int kt_copy_fill(const struct kt_target *target, uint64_t to, uint32_t value,
		 unsigned element, size_t n);

/* From the host to new memory of the device, in submissions of KT_INLINE_BYTES of data to
 * the default stream; it is done on return. */
int kt_copy_upload(struct kt_context *context, uint64_t to, const void *from, size_t bytes);

#endif
