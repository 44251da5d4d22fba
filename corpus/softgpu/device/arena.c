/* SPDX-License-Identifier: MIT */
/*
 * The arena in user space: a file of memory (memfd), all of which the device has mapped for
 * itself.
 */
#define _GNU_SOURCE
#include "corpus/softgpu/device/engine.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include "corpus/softgpu/device/system.h"

#if defined(__has_include)
#if __has_include(<valgrind/memcheck.h>)
#include <valgrind/memcheck.h>
#endif
#endif

/*
 * Memcheck is told what is nobody's: in its search for leaks it would look for pointers in
 * the whole arena, and so make all of its pages.
 */
static void mark(const struct kt_gpu *gpu, uint64_t physical, uint64_t bytes, bool used)
{
#ifdef VALGRIND_MAKE_MEM_NOACCESS
	if (used) {
		(void)VALGRIND_MAKE_MEM_DEFINED(gpu->memory + physical, bytes);
	} else {
		(void)VALGRIND_MAKE_MEM_NOACCESS(gpu->memory + physical, bytes);
	}
#else
	(void)gpu;
	(void)physical;
	(void)bytes;
	(void)used;
#endif
}

/* Without a file it is mapped again as kt_gpu_map does where the descriptor is gone. */
int kt_gpu_arena_create(struct kt_gpu *gpu)
{
	static const char name[] = "ktail-softgpu";
	struct rlimit limit = {0, 0};
	bool file;

	/* A file beyond RLIMIT_FSIZE would be answered with a signal that ends the program.
	 */
	file = KT_KERNEL(SYS_prlimit64, 0, RLIMIT_FSIZE, 0, (long)(uintptr_t)&limit, 0, 0) <
		       0 ||
	       limit.rlim_cur >= KT_GPU_ARENA_BYTES;
	gpu->arena.fd = -1;
	if (file) {
		int fd = (int)KT_KERNEL(SYS_memfd_create, (long)(uintptr_t)name,
					MFD_CLOEXEC, 0, 0, 0, 0);
		long error = kt_gpu_door_open(&gpu->arena, fd);

		if (!error) {
			error = KT_KERNEL(SYS_ftruncate, gpu->arena.fd,
					  (long)KT_GPU_ARENA_BYTES, 0, 0, 0, 0);
		}
		if (error < 0) {
			return (int)error;
		}
	}
	gpu->memory = kt_system_map_shared(
		gpu->arena.fd, KT_GPU_ARENA_BYTES, PROT_READ | PROT_WRITE,
		MAP_SHARED | MAP_NORESERVE | (file ? 0 : MAP_ANONYMOUS));
	if (!gpu->memory) {
		return -ENOMEM;
	}
	(void)KT_KERNEL(SYS_madvise, (long)(uintptr_t)gpu->memory, (long)KT_GPU_ARENA_BYTES,
			MADV_DONTDUMP, 0, 0, 0);
	mark(gpu, 0, KT_GPU_USERMODE_AT, false);
	return 0;
}

void kt_gpu_arena_free(struct kt_gpu *gpu)
{
	if (gpu->memory) {
		kt_system_unmap(gpu->memory, KT_GPU_ARENA_BYTES);
	}
	kt_gpu_door_close(&gpu->arena);
}

void kt_gpu_leave_inherited(struct kt_gpu *gpu)
{
	kt_gpu_user_close(gpu);
	kt_gpu_arena_free(gpu);
}

void kt_gpu_arena_take(struct kt_gpu *gpu, uint64_t physical, uint64_t bytes)
{
	mark(gpu, physical, bytes, true);
}

/*
 * By their addresses, not by the arena's descriptor: a program may have closed that, and
 * have another file under its number.
 */
void kt_gpu_arena_clear(struct kt_gpu *gpu, uint64_t physical, uint64_t bytes)
{
	uint8_t *at = gpu->memory + physical;

	if (KT_KERNEL(SYS_madvise, (long)(uintptr_t)at, (long)bytes, MADV_REMOVE, 0, 0, 0) <
	    0) {
		memset(at, 0, bytes);
	}
	mark(gpu, physical, bytes, false);
}

uint8_t *kt_gpu_at(const struct kt_gpu *gpu, uint64_t physical, uint64_t *bytes)
{
	(void)bytes;
	return gpu->memory + physical;
}

void *kt_gpu_memory_at(struct kt_gpu *gpu, uint64_t physical, uint64_t bytes)
{
	return kt_gpu_is_memory(physical, bytes) ? gpu->memory + physical : NULL;
}

long kt_gpu_map(const struct kt_gpu *gpu, uint64_t physical, uint64_t address,
		uint64_t bytes, int protection, int flags)
{
	const uint8_t *from = gpu->memory + physical;
	uint64_t whole = (bytes + KT_ABI_PAGE - 1) / KT_ABI_PAGE * KT_ABI_PAGE;
	int kept = flags & ~(MAP_TYPE | MAP_POPULATE | MAP_LOCKED);
	long at;

	if (kt_gpu_door_is_ours(&gpu->arena)) {
		return KT_KERNEL(SYS_mmap, (long)address, (long)bytes, protection, flags,
				 gpu->arena.fd, (long)physical);
	}
	/* A second mapping of what the device itself has mapped: that takes no descriptor.
	 */
	at = KT_KERNEL(SYS_mmap, (long)address, (long)bytes, PROT_NONE,
		       kept | MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (at < 0 && at > -4096) {
		return at;
	}
	at = KT_KERNEL(SYS_mremap, (long)(uintptr_t)from, 0, (long)whole,
		       MREMAP_MAYMOVE | MREMAP_FIXED, at, 0);
	if (at >= 0 || at <= -4096) {
		(void)KT_KERNEL(SYS_mprotect, at, (long)bytes, protection, 0, 0, 0);
	}
	return at;
}
