/* SPDX-License-Identifier: MIT */
/*
 * The device's user-space layer: descriptors, the arena, user memory, the thread and its
 * clock. The kernel module tests/kernel/qemu/gpusim has its own implementation of them.
 */
#define _GNU_SOURCE
#include "corpus/softgpu/device/engine.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include "corpus/softgpu/device/system.h"

#if defined(__has_include)
#if __has_include(<valgrind/memcheck.h>)
#include <valgrind/memcheck.h>
#endif
#endif

/*
 * --- descriptors of the device ---
 *
 * The device shares the program's descriptor table: closefrom() and similar calls close the
 * device's descriptors, and the program's next file may get the same number. So each
 * descriptor is checked before use, and a descriptor of another file is not touched.
 */

/* Lowest number for the device's descriptors: a program normally uses only lower ones. */
#define HIGH_FD 700

static bool get_status(int fd, struct stat *status)
{
	return KT_KERNEL(SYS_fstat, fd, (long)(uintptr_t)status, 0, 0, 0, 0) == 0;
}

int kt_gpu_descriptor_open(struct kt_gpu_descriptor *descriptor, int fd)
{
	struct stat status;
	long high;

	descriptor->fd = -1;
	if (fd < 0) {
		return fd;
	}
	high = KT_KERNEL(SYS_fcntl, fd, F_DUPFD_CLOEXEC, HIGH_FD, 0, 0, 0);
	if (high >= 0) {
		(void)kt_system_close(fd);
	}
	descriptor->fd = high < 0 ? fd : (int)high;
	if (!get_status(descriptor->fd, &status)) {
		return -EBADF;
	}
	descriptor->device = status.st_dev;
	descriptor->inode = status.st_ino;
	return 0;
}

bool kt_gpu_descriptor_is_ours(const struct kt_gpu_descriptor *descriptor)
{
	struct stat status;

	return descriptor->fd >= 0 && get_status(descriptor->fd, &status) &&
	       status.st_dev == descriptor->device && status.st_ino == descriptor->inode;
}

void kt_gpu_descriptor_close(struct kt_gpu_descriptor *descriptor)
{
	if (kt_gpu_descriptor_is_ours(descriptor)) {
		(void)kt_system_close(descriptor->fd);
	}
	descriptor->fd = -1;
}

/* --- the arena: a memory file (memfd), mapped as a whole by the device --- */

/*
 * Reports to Memcheck whether memory is in use. Memcheck's leak search then skips free
 * memory; otherwise it would read the whole arena for pointers and so allocate all pages.
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

/*
 * If RLIMIT_FSIZE forbids a file of this size, the arena is anonymous shared memory.
 * kt_gpu_map then duplicates the device's mapping, as it does after the program has closed
 * the descriptor.
 */
int kt_gpu_arena_create(struct kt_gpu *gpu)
{
	static const char name[] = "ktail-softgpu";
	struct rlimit limit = {0, 0};
	bool file;

	/* Growing a file beyond RLIMIT_FSIZE raises SIGXFSZ, which ends the program. */
	file = KT_KERNEL(SYS_prlimit64, 0, RLIMIT_FSIZE, 0, (long)(uintptr_t)&limit, 0, 0) <
		       0 ||
	       limit.rlim_cur >= KT_GPU_ARENA_BYTES;
	gpu->arena.fd = -1;
	if (file) {
		int fd = (int)KT_KERNEL(SYS_memfd_create, (long)(uintptr_t)name,
					MFD_CLOEXEC, 0, 0, 0, 0);
		long error = kt_gpu_descriptor_open(&gpu->arena, fd);

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
	kt_gpu_descriptor_close(&gpu->arena);
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
 * Clears by address instead of by descriptor, because a program may have closed the
 * descriptor and reused its number.
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

	if (kt_gpu_descriptor_is_ours(&gpu->arena)) {
		return KT_KERNEL(SYS_mmap, (long)address, (long)bytes, protection, flags,
				 gpu->arena.fd, (long)physical);
	}
	/* Duplicates the device's own mapping, which requires no descriptor. */
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

/*
 * --- user memory ---
 *
 * User memory is accessed through /proc/self/mem, which ignores page protection. If this
 * file cannot be opened, process_vm_readv and process_vm_writev are used, which respect
 * protection. Both ways fail at a missing page, without a crash.
 */

void kt_gpu_user_open(struct kt_gpu *gpu)
{
	static const char path[] = "/proc/self/mem";

	gpu->user_memory.fd = -1;
	(void)kt_gpu_descriptor_open(&gpu->user_memory,
				     (int)KT_KERNEL(SYS_openat, AT_FDCWD,
						    (long)(uintptr_t)path,
						    O_RDWR | O_CLOEXEC, 0, 0, 0));
}

void kt_gpu_user_close(struct kt_gpu *gpu)
{
	kt_gpu_descriptor_close(&gpu->user_memory);
}

/* In user space, the name of registered memory is its address. */
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
	bool descriptor;

	/* Reopens /proc/self/mem if the program has closed it. */
	if (gpu->user_memory.fd >= 0 && !kt_gpu_descriptor_is_ours(&gpu->user_memory)) {
		kt_gpu_user_open(gpu);
	}
	descriptor = gpu->user_memory.fd >= 0;
	while (bytes) {
		struct iovec here = {(void *)local, bytes};
		struct iovec there = {(void *)(uintptr_t)remote, bytes};
		long n = 0;

		if (descriptor) {
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
	/* Memcheck does not see this store: marks the memory as initialised. */
	(void)VALGRIND_MAKE_MEM_DEFINED_IF_ADDRESSABLE((void *)(uintptr_t)to, bytes);
#endif
	return true;
}

/* --- the device's thread in the process, and its clock --- */

#define SIGNAL_SET_BYTES 8
/*
 * Signals 32 and 33 are never blocked: glibc uses them, for example in setuid(), which
 * waits until every thread has handled such a signal.
 */
#define SIGNALS_OF_LIBC (UINT64_C(3) << 31)

void kt_gpu_yield(void)
{
	kt_system_yield();
}

void kt_gpu_sleep(uint64_t nanoseconds)
{
	kt_system_sleep(nanoseconds);
}

static void *run(void *argument)
{
	kt_gpu_run(argument);
	return NULL;
}

typedef int create_function(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);

static create_function *_Atomic create;

/*
 * Finds the pthread_create that follows this library in the search order. This bypasses
 * libraries that interpose the function, because the device's thread does not belong to the
 * program. Runs when this library is loaded, because dlsym could deadlock later: it takes
 * the loader's lock, which another thread may hold while it waits for a lock that the
 * caller of kt_gpu_start holds.
 */
__attribute__((constructor)) static void find_create(void)
{
#ifdef KT_SANITIZED
	create = pthread_create; /* the sanitizer's function, because the sanitizer must
				  * know the thread */
#else
	void *symbol = dlsym(RTLD_NEXT, "pthread_create");
	create_function *function = pthread_create;

	if (symbol) {
		memcpy(&function, &symbol, sizeof(function));
	}
	create = function;
#endif
}

int kt_gpu_start(struct kt_gpu *gpu)
{
	uint64_t all = ~SIGNALS_OF_LIBC;
	uint64_t before = 0;
	int error = 0;

	if (gpu->steps || gpu->runs) {
		return 0;
	}
	if (!create) {
		find_create(); /* called by a constructor that ran before find_create */
	}
	(void)KT_KERNEL(SYS_rt_sigprocmask, 2 /* SIG_SETMASK */, (long)(uintptr_t)&all,
			(long)(uintptr_t)&before, SIGNAL_SET_BYTES, 0, 0);
	error = create(&gpu->thread, NULL, run, gpu);
	(void)KT_KERNEL(SYS_rt_sigprocmask, 2, (long)(uintptr_t)&before, 0,
			SIGNAL_SET_BYTES, 0, 0);
	gpu->runs = !error;
	return -error;
}

void kt_gpu_join(struct kt_gpu *gpu)
{
	(void)pthread_join(gpu->thread, NULL);
}

uint64_t kt_gpu_time(void)
{
	struct timespec now = {0, 0};

	(void)clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}
