/* SPDX-License-Identifier: MIT */
/* Creation and destruction of a device. */
#include "corpus/softgpu/device/engine.h"

#include <errno.h>

int kt_gpu_create(struct kt_gpu **out)
{
	struct kt_gpu *gpu = kt_store_pages(sizeof(*gpu));
	int error = -ENOMEM;

	if (!gpu) {
		return error;
	}
	gpu->window.copy = kt_store_take(&gpu->store, KT_ABI_WINDOW_BYTES);
	(void)pthread_mutex_init(&gpu->lock, NULL);
	kt_gpu_user_open(gpu);
	error = kt_gpu_arena_create(gpu);
	if (!error && !gpu->window.copy) {
		error = -ENOMEM;
	}
	if (error) {
		kt_gpu_free(gpu);
		return error;
	}
	kt_gpu_memory_begin(gpu);
	kt_gpu_show_time(gpu);
	*out = gpu;
	return 0;
}

void kt_gpu_free(struct kt_gpu *gpu)
{
	if (!gpu) {
		return;
	}
	if (gpu->runs) {
		__atomic_store_n(&gpu->stop, true, __ATOMIC_RELEASE);
		kt_gpu_join(gpu);
	}
	for (size_t i = 0; i < KT_GPU_MAX_CHANNELS; i++) {
		if (gpu->channels[i]) {
			kt_gpu_channel_free(gpu->channels[i]);
		}
	}
	while (gpu->spaces) {
		gpu->spaces->references = 1;
		kt_gpu_space_put(gpu->spaces);
	}
	kt_gpu_arena_free(gpu);
	kt_gpu_user_close(gpu);
	kt_store_give(&gpu->store, gpu->pools[0].pieces);
	kt_store_give(&gpu->store, gpu->pools[1].pieces);
	kt_store_give(&gpu->store, gpu->window.copy);
	kt_store_end(&gpu->store);
	(void)pthread_mutex_destroy(&gpu->lock);
	kt_store_give_pages(gpu, sizeof(*gpu));
}

struct kt_store *kt_gpu_store(struct kt_gpu *gpu)
{
	return &gpu->store;
}

void kt_gpu_lock(struct kt_gpu *gpu)
{
	(void)__atomic_fetch_add(&gpu->waiting, 1, __ATOMIC_ACQ_REL);
	(void)pthread_mutex_lock(&gpu->lock);
	(void)__atomic_fetch_sub(&gpu->waiting, 1, __ATOMIC_ACQ_REL);
}

void kt_gpu_unlock(struct kt_gpu *gpu)
{
	(void)pthread_mutex_unlock(&gpu->lock);
}

void kt_gpu_counts(struct kt_gpu *gpu, struct kt_gpu_counts *out)
{
	kt_gpu_lock(gpu);
	*out = gpu->counts;
	kt_gpu_unlock(gpu);
}

/* Stores both dwords at once, so that no reader combines halves of two times. */
void kt_gpu_show_time(struct kt_gpu *gpu)
{
	_Static_assert(KT_ABI_USERMODE_TIME_HI == KT_ABI_USERMODE_TIME_LO + 4, "one store");
	uint64_t *at = kt_gpu_in_page(gpu, KT_GPU_USERMODE_AT + KT_ABI_USERMODE_TIME_LO,
				      sizeof(*at));

	__atomic_store_n(at, kt_gpu_time(), __ATOMIC_RELEASE);
}
