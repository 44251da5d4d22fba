/* SPDX-License-Identifier: MIT */
/*
 * User memory through /proc/self/mem, which reaches pages whatever their protection. Where
 * that cannot be opened, by process_vm_readv and process_vm_writev, which fail instead of
 * crashing where there is nothing, but are stopped by protection.
 */
#define _GNU_SOURCE
#include "corpus/softgpu/device/engine.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/uio.h>
#include <unistd.h>

#include "corpus/softgpu/device/system.h"

#if defined(__has_include)
#if __has_include(<valgrind/memcheck.h>)
#include <valgrind/memcheck.h>
#endif
#endif

void kt_gpu_user_open(struct kt_gpu *gpu)
{
	static const char path[] = "/proc/self/mem";

	gpu->user_memory.fd = -1;
	(void)kt_gpu_door_open(&gpu->user_memory,
			       (int)KT_KERNEL(SYS_openat, AT_FDCWD, (long)(uintptr_t)path,
					      O_RDWR | O_CLOEXEC, 0, 0, 0));
}

void kt_gpu_user_close(struct kt_gpu *gpu)
{
	kt_gpu_door_close(&gpu->user_memory);
}

/* What is in the process is reached by its address. */
int kt_gpu_user_register(struct kt_gpu *gpu, uint64_t address, uint64_t bytes,
			 uint64_t *name)
{
	unsigned char seen[1024];
	const uint64_t most = sizeof(seen) * KT_ABI_PAGE;

	(void)gpu;
	*name = address;
	while (bytes) {
		uint64_t part = bytes < most ? bytes : most;

		if (KT_KERNEL(SYS_mincore, address, part, seen) != 0) {
			return -EFAULT;
		}
		address += part;
		bytes -= part;
	}
	return 0;
}

void kt_gpu_user_forget(struct kt_gpu *gpu, uint64_t name)
{
	(void)gpu;
	(void)name;
}

static bool transfer(struct kt_gpu *gpu, bool write, uint64_t remote, uintptr_t local,
		     size_t bytes)
{
	bool door;

	/* One that the program has closed is opened again. */
	if (gpu->user_memory.fd >= 0 && !kt_gpu_door_is_ours(&gpu->user_memory)) {
		kt_gpu_user_open(gpu);
	}
	door = gpu->user_memory.fd >= 0;
	while (bytes) {
		struct iovec here = {(void *)local, bytes};
		struct iovec there = {(void *)(uintptr_t)remote, bytes};
		long n = 0;

		if (door) {
			n = KT_KERNEL(write ? SYS_pwrite64 : SYS_pread64,
				      gpu->user_memory.fd, (long)local, (long)bytes,
				      (long)remote, 0, 0);
		} else {
			n = KT_KERNEL(write ? SYS_process_vm_writev : SYS_process_vm_readv,
				      getpid(), (long)(uintptr_t)&here, 1,
				      (long)(uintptr_t)&there, 1, 0);
		}
		if (n == -EINTR) {
			continue;
		}
		if (n <= 0) {
			return false;
		}
		remote += (uint64_t)n;
		local += (uintptr_t)n;
		bytes -= (size_t)n;
	}
	return true;
}

bool kt_gpu_user_read(struct kt_gpu *gpu, uint64_t from, void *out, size_t bytes)
{
	return transfer(gpu, false, from, (uintptr_t)out, bytes);
}

bool kt_gpu_user_write(struct kt_gpu *gpu, uint64_t to, const void *data, size_t bytes)
{
	if (!transfer(gpu, true, to, (uintptr_t)data, bytes)) {
		return false;
	}
#ifdef VALGRIND_MAKE_MEM_DEFINED_IF_ADDRESSABLE
	/* Memcheck sees no store of ours to such memory: it is to take it for written. */
	(void)VALGRIND_MAKE_MEM_DEFINED_IF_ADDRESSABLE((void *)(uintptr_t)to, bytes);
#endif
	return true;
}
