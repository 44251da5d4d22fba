/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "collect/preload/process/memory.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/uio.h>

#include "collect/preload/process/counters.h"
#include "collect/preload/process/kernel.h"
#include "collect/preload/process/signal-frame.h"

bool kt_table_reserve(void **items, size_t *capacity, size_t need, size_t size)
{
	size_t target = *capacity ? *capacity : 64;
	long grown;

	if (need <= *capacity) {
		return true;
	}
	while (target < need) {
		target *= 2;
	}
	grown = KT_KERNEL_TRY(SYS_mmap, NULL, kt_whole_pages(target * size),
			      PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (kt_kernel_failed(grown)) {
		kt_count(&kt_counters->setup_failures);
		return false;
	}
	if (*items) {
		memcpy((void *)grown, *items, *capacity * size);
		kt_table_free(*items, *capacity, size);
	}
	*items = (void *)grown;
	*capacity = target;
	return true;
}

void kt_table_free(void *items, size_t capacity, size_t size)
{
	if (items) {
		KT_KERNEL(SYS_munmap, items, kt_whole_pages(capacity * size));
	}
}

static long transfer(long number, uintptr_t ours, uint64_t theirs, size_t length)
{
	struct iovec local = {(void *)ours, length};
	struct iovec remote = {(void *)(uintptr_t)theirs, length};

	return KT_KERNEL(number, KT_KERNEL(SYS_getpid, 0), &local, 1, &remote, 1, 0);
}

size_t kt_memory_read(void *buffer, uint64_t address, size_t length)
{
	long n = transfer(SYS_process_vm_readv, (uintptr_t)buffer, address, length);

	if (n < 0 && n != -EFAULT) {
		/* The kernel refuses the call altogether, as in some containers. */
		return kt_guarded_copy(buffer, (const void *)(uintptr_t)address, length)
			       ? length
			       : 0;
	}
	return n < 0 ? 0 : (size_t)n;
}

size_t kt_memory_write(uint64_t address, const void *buffer, size_t length)
{
	long n = transfer(SYS_process_vm_writev, (uintptr_t)buffer, address, length);

	return n < 0 ? 0 : (size_t)n;
}

/*
 * Another thread may be relocating the object, and would crash if its page were closed
 * here. A write by the kernel is therefore tried first: it succeeds if the page is
 * writable, and leaves the protection unchanged.
 */
bool kt_memory_put_pointer(uintptr_t slot, uintptr_t value, bool may_be_closed)
{
	uintptr_t page = kt_page_of(slot);

	if (may_be_closed &&
	    kt_memory_write(slot, &value, sizeof(value)) == sizeof(value)) {
		return true;
	}
	if (may_be_closed && kt_kernel_failed(KT_KERNEL_TRY(SYS_mprotect, page, KT_PAGE,
							    PROT_READ | PROT_WRITE))) {
		return false;
	}
	__atomic_store_n((uintptr_t *)slot, value, __ATOMIC_SEQ_CST);
	if (may_be_closed) {
		KT_KERNEL(SYS_mprotect, page, KT_PAGE, PROT_READ);
	}
	return true;
}
