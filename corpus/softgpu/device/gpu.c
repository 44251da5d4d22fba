/* SPDX-License-Identifier: MIT */
/* Making a device and taking it apart. */
#define _GNU_SOURCE
#include "corpus/softgpu/device/engine.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include "corpus/softgpu/device/system.h"

/* A file beyond RLIMIT_FSIZE would be answered with a signal that ends the program. */
static bool may_be_a_file(void)
{
	struct rlimit limit = {0, 0};

	return KT_KERNEL(SYS_prlimit64, 0, RLIMIT_FSIZE, 0, (long)(uintptr_t)&limit, 0, 0) <
		       0 ||
	       limit.rlim_cur >= KT_GPU_ARENA_BYTES;
}

static long create_file(struct kt_gpu_door *door)
{
	static const char name[] = "ktail-softgpu";
	int fd = (int)KT_KERNEL(SYS_memfd_create, (long)(uintptr_t)name, MFD_CLOEXEC, 0, 0,
				0, 0);
	long error = kt_gpu_door_open(door, fd);

	return error ? error
		     : KT_KERNEL(SYS_ftruncate, door->fd, (long)KT_GPU_ARENA_BYTES, 0, 0, 0,
				 0);
}

/* Without a file it is mapped again as kt_gpu_map does where the descriptor is gone. */
static int create_arena(struct kt_gpu *gpu)
{
	bool file = may_be_a_file();
	long error = file ? create_file(&gpu->arena) : 0;

	if (error < 0) {
		return (int)error;
	}
	gpu->memory = kt_system_map_shared(
		gpu->arena.fd, KT_GPU_ARENA_BYTES, PROT_READ | PROT_WRITE,
		MAP_SHARED | MAP_NORESERVE | (file ? 0 : MAP_ANONYMOUS));
	if (!gpu->memory) {
		return -ENOMEM;
	}
	(void)KT_KERNEL(SYS_madvise, (long)(uintptr_t)gpu->memory, (long)KT_GPU_ARENA_BYTES,
			MADV_DONTDUMP, 0, 0, 0);
	return 0;
}

int kt_gpu_create(struct kt_gpu **out)
{
	struct kt_gpu *gpu = kt_store_pages(sizeof(*gpu));
	int error = -ENOMEM;

	if (!gpu) {
		return error;
	}
	gpu->arena.fd = -1;
	gpu->user_memory.fd = -1;
	gpu->window.copy = kt_store_take(&gpu->store, KT_ABI_WINDOW_BYTES);
	(void)pthread_mutex_init(&gpu->lock, NULL);
	error = gpu->window.copy ? create_arena(gpu) : -ENOMEM;
	if (error) {
		kt_gpu_free(gpu);
		return error;
	}
	kt_gpu_user_open(gpu);
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
		atomic_store(&gpu->stop, true);
		(void)pthread_join(gpu->thread, NULL);
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
	if (gpu->memory) {
		kt_system_unmap(gpu->memory, KT_GPU_ARENA_BYTES);
	}
	kt_gpu_door_close(&gpu->arena);
	kt_gpu_door_close(&gpu->user_memory);
	kt_store_give(&gpu->store, gpu->pools[0].pieces);
	kt_store_give(&gpu->store, gpu->pools[1].pieces);
	kt_store_give(&gpu->store, gpu->window.copy);
	kt_store_end(&gpu->store);
	(void)pthread_mutex_destroy(&gpu->lock);
	kt_store_give_pages(gpu, sizeof(*gpu));
}

void kt_gpu_leave_inherited(struct kt_gpu *gpu)
{
	kt_gpu_door_close(&gpu->arena);
	kt_gpu_door_close(&gpu->user_memory);
	kt_system_unmap(gpu->memory, KT_GPU_ARENA_BYTES);
}

struct kt_store *kt_gpu_store(struct kt_gpu *gpu)
{
	return &gpu->store;
}

void kt_gpu_lock(struct kt_gpu *gpu)
{
	atomic_fetch_add(&gpu->waiting, 1);
	(void)pthread_mutex_lock(&gpu->lock);
	atomic_fetch_sub(&gpu->waiting, 1);
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
