/* SPDX-License-Identifier: MIT */
/* Physical memory: for each aperture, a sorted list of its allocated ranges. */
#include "corpus/softgpu/device/engine.h"

#include <errno.h>
#include <string.h>

void kt_gpu_memory_begin(struct kt_gpu *gpu)
{
	gpu->pools[KT_GPU_DEVICE_MEMORY].end = KT_GPU_DEVICE_BYTES;
	gpu->pools[KT_GPU_SYSTEM_MEMORY].begin = KT_GPU_DEVICE_BYTES;
	gpu->pools[KT_GPU_SYSTEM_MEMORY].hint = KT_GPU_DEVICE_BYTES;
	gpu->pools[KT_GPU_SYSTEM_MEMORY].end = KT_GPU_USERMODE_AT;
}

static uint64_t align_up(uint64_t value, uint64_t alignment)
{
	return (value + alignment - 1) & ~(alignment - 1);
}

static size_t find(const struct kt_gpu_pool *pool, uint64_t physical)
{
	return kt_store_find(pool->pieces, pool->n, sizeof(*pool->pieces), physical);
}

/*
 * Finds the first gap from `start` on in which `bytes` bytes fit. Sets *physical to the
 * aligned address in the gap, and *at to the index of the piece after the gap.
 */
static bool find_gap(const struct kt_gpu_pool *pool, uint64_t start, uint64_t bytes,
		     uint64_t alignment, uint64_t *physical, size_t *at)
{
	uint64_t from = start;

	for (size_t i = find(pool, start); i <= pool->n; i++) {
		uint64_t end = i < pool->n ? pool->pieces[i].physical : pool->end;
		uint64_t aligned = align_up(from, alignment);

		if (aligned <= end && bytes <= end - aligned) {
			*physical = aligned;
			*at = i;
			return true;
		}
		if (i < pool->n) {
			from = end + pool->pieces[i].bytes;
		}
	}
	return false;
}

int kt_gpu_memory_allocate(struct kt_gpu *gpu, enum kt_gpu_aperture aperture,
			   uint64_t bytes, uint64_t alignment, uint64_t *physical)
{
	struct kt_gpu_pool *pool = &gpu->pools[aperture == KT_GPU_SYSTEM_MEMORY];
	size_t at = 0;
	int error = 0;

	if (alignment < KT_ABI_PAGE) {
		alignment = KT_ABI_PAGE;
	}
	if (bytes == 0 || (alignment & (alignment - 1)) || (unsigned)aperture > 1) {
		return -EINVAL;
	}
	if (bytes > KT_GPU_DEVICE_BYTES || alignment > KT_GPU_DEVICE_BYTES) {
		return -ENOMEM;
	}
	bytes = align_up(bytes, KT_ABI_PAGE);
	kt_gpu_lock(gpu);
	if (!find_gap(pool, pool->hint, bytes, alignment, physical, &at) &&
	    !find_gap(pool, pool->begin, bytes, alignment, physical, &at)) {
		error = -ENOMEM;
		goto end;
	}
	if (!kt_store_reserve(&gpu->store, &pool->pieces, pool->n, &pool->capacity,
			      sizeof(*pool->pieces))) {
		error = -ENOMEM;
		goto end;
	}
	memmove(pool->pieces + at + 1, pool->pieces + at,
		(pool->n - at) * sizeof(*pool->pieces));
	pool->pieces[at] = (struct kt_gpu_piece){*physical, bytes};
	pool->n++;
	pool->used += bytes;
	pool->hint = *physical + bytes;
	kt_gpu_arena_take(gpu, *physical, bytes);
end:
	kt_gpu_unlock(gpu);
	return error;
}

void kt_gpu_memory_free(struct kt_gpu *gpu, uint64_t physical)
{
	kt_gpu_lock(gpu);
	for (int aperture = 0; aperture < 2; aperture++) {
		struct kt_gpu_pool *pool = &gpu->pools[aperture];
		size_t at = find(pool, physical);

		if (at < pool->n && pool->pieces[at].physical == physical) {
			kt_gpu_arena_clear(gpu, physical, pool->pieces[at].bytes);
			pool->used -= pool->pieces[at].bytes;
			pool->n--;
			memmove(pool->pieces + at, pool->pieces + at + 1,
				(pool->n - at) * sizeof(*pool->pieces));
			break;
		}
	}
	kt_gpu_unlock(gpu);
}

uint64_t kt_gpu_memory_left(const struct kt_gpu *gpu, enum kt_gpu_aperture aperture)
{
	struct kt_gpu *own = (struct kt_gpu *)(uintptr_t)gpu; /* not const, because the lock
							       * is taken */
	const struct kt_gpu_pool *pool = &gpu->pools[aperture == KT_GPU_SYSTEM_MEMORY];
	uint64_t left = 0;

	kt_gpu_lock(own);
	left = pool->end - pool->begin - pool->used;
	kt_gpu_unlock(own);
	return left;
}

uint64_t kt_gpu_usermode_page(const struct kt_gpu *gpu)
{
	(void)gpu;
	return KT_GPU_USERMODE_AT;
}

uint64_t kt_gpu_transfer_page(const struct kt_gpu *gpu)
{
	(void)gpu;
	return KT_GPU_TRANSFER_AT;
}
