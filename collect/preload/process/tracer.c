/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "collect/preload/process/tracer.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <stdatomic.h>
#include <stdint.h>
#include <string.h>
#include <sys/resource.h>

#include "collect/preload/process/counters.h"
#include "collect/preload/process/kernel.h"
#include "collect/preload/process/passed-descriptors.h"
#include "collect/preload/process/process.h"

#define LOWEST      1024 /* select(2) handles only lower descriptors */
#define NUMBERS_MAX 16384
#define WORD        64

static _Atomic uint64_t numbers[NUMBERS_MAX / WORD];

/* --- code --- */

bool kt_tracer_has_code(const void *address)
{
	const char *name = NULL;
	/*
	 * Does not use dladdr(3), which waits for a thread that is loading a library; the
	 * constructor of that library may be waiting for this thread. glibc before 2.35 has
	 * no _dl_find_object(); there, no code is recognised as LTTng's.
	 */
#ifdef DLFO_EH_SEGMENT_TYPE
	struct dl_find_object found;

	if (_dl_find_object((void *)(uintptr_t)address, &found) == 0) {
		name = found.dlfo_link_map->l_name;
	}
#else
	(void)address;
#endif
	return name && strstr(name, "/liblttng-ust") && !strstr(name, "/liblttng-ust-fork");
}

bool kt_tracer_is_stopped(const void *caller)
{
	return kt_process_is_stopped() && kt_tracer_has_code(caller);
}

/* --- descriptors --- */

int kt_tracer_move_up(int fd)
{
	/*
	 * Leaves to the program the descriptors below LOWEST or below half of the limit,
	 * whichever is less. Computes this bound only once, because LTTng too reads the
	 * limit only once.
	 */
	static _Atomic int known;
	struct rlimit64 limit = {0};
	int lowest = atomic_load(&known);
	long high = -1;
	int result;

	if (fd >= 0 && !lowest) {
		lowest = LOWEST;
		if (KT_KERNEL(SYS_getrlimit, RLIMIT_NOFILE, &limit) == 0 &&
		    limit.rlim_cur / 2 < LOWEST) {
			lowest = (int)limit.rlim_cur / 2;
		}
		atomic_store(&known, lowest);
	}
	if (fd >= 0) {
		high = KT_KERNEL_TRY(SYS_fcntl, fd, F_DUPFD_CLOEXEC, lowest);
	}
	result = kt_kernel_failed(high) ? fd : (int)high;
	if (result >= 0 && result < NUMBERS_MAX) {
		atomic_fetch_or(&numbers[result / WORD], UINT64_C(1) << result % WORD);
	}
	if (result != fd) {
		KT_KERNEL(SYS_close, fd);
	}
	return result;
}

static void move_up(int *fd)
{
	*fd = kt_tracer_move_up(*fd);
}

void kt_tracer_received(const struct msghdr *message)
{
	kt_descriptors_each(message, move_up);
}

bool kt_tracer_has(int fd)
{
	return fd >= 0 && fd < NUMBERS_MAX &&
	       (atomic_load_explicit(&numbers[fd / WORD], memory_order_relaxed) >>
			fd % WORD &
		1);
}

void kt_tracer_forget(int fd)
{
	if (kt_tracer_has(fd)) {
		atomic_fetch_and(&numbers[fd / WORD], ~(UINT64_C(1) << fd % WORD));
	}
}
