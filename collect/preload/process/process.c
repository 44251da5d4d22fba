/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "collect/preload/process/process.h"

#include <stdatomic.h>
#include <stddef.h>
#include <sys/mman.h>
#include <unistd.h>

#include "collect/preload/process/kernel.h"
#include "collect/preload/process/memory.h"

_Thread_local uint32_t kt_process_vforks;

static _Atomic pid_t own_pid;
static _Atomic bool stopped;
static _Atomic bool shares_memory;

/*
 * Contains 1; the kernel clears it in a forked child (madvise(2), MADV_WIPEONFORK). NULL if
 * the kernel cannot.
 */
static _Atomic uint32_t *not_forked;

static void make_page(void)
{
	long page = KT_KERNEL(SYS_mmap, NULL, KT_PAGE, PROT_READ | PROT_WRITE,
			      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (kt_kernel_failed(page)) {
		return;
	}
	if (KT_KERNEL_TRY(SYS_madvise, page, KT_PAGE, MADV_WIPEONFORK) != 0) {
		KT_KERNEL(SYS_munmap, page, KT_PAGE);
		return;
	}
	not_forked = (_Atomic uint32_t *)page;
}

void kt_process_begin(void)
{
	own_pid = (pid_t)KT_KERNEL(SYS_getpid, 0);
	kt_process_vforks = 0;
	shares_memory = false;
	if (!not_forked) {
		make_page();
	}
	if (not_forked) {
		atomic_store(not_forked, 1);
	}
}

bool kt_process_ask_own(void)
{
	return kt_process_is_stopped() || KT_KERNEL(SYS_getpid, 0) == own_pid;
}

/* Not instrumented, because it also runs in threads that ThreadSanitizer does not know. */
__attribute__((no_sanitize("thread"))) bool kt_process_is_own(void)
{
	if (not_forked && atomic_load_explicit(not_forked, memory_order_relaxed) &&
	    !kt_process_vforks &&
	    !atomic_load_explicit(&shares_memory, memory_order_relaxed)) {
		return true;
	}
	return kt_process_ask_own();
}

void kt_process_shares_memory(void)
{
	atomic_store(&shares_memory, true);
}

void kt_process_stop(void)
{
	atomic_store(&stopped, true);
}

bool kt_process_is_stopped(void)
{
	return atomic_load_explicit(&stopped, memory_order_relaxed);
}
