// SPDX-License-Identifier: GPL-2.0
/*
 * Registered user memory, whose pages are pinned. The device names the pages by numbers
 * that are never reused. It does not use addresses, because another mapping may take an
 * address while the pages are still registered.
 */
#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>

#include "abi.h"
#include "corpus/softgpu/device/engine.h"
#include "tests/kernel/qemu/device-node.h"

#define NAMES (KT_GPU_ADDRESS_END >> PAGE_SHIFT) /* limit of names, in pages */

struct region {
	unsigned long n;
	struct page *pages[];
};

static void forget(struct abi_memory *at, unsigned long name)
{
	struct region *region = xa_erase(&at->regions, name);

	if (!region) {
		return;
	}
	for (unsigned long i = 0; i < region->n; i++) {
		xa_erase(&at->user, name + i);
		if (i % 1024 == 0) {
			cond_resched();
		}
	}
	unpin_user_pages_dirty_lock(region->pages, region->n, true);
	abi_pages_uncharge(region->n);
	kvfree(region);
}

/* Pins pages for writing and for a long time, as the driver does. */
static int pin(struct region *region, unsigned long address, unsigned long n)
{
	while (region->n < n) {
		long pinned;

		mmap_read_lock(current->mm);
		pinned = pin_user_pages(address + (region->n << PAGE_SHIFT), n - region->n,
					FOLL_WRITE | FOLL_LONGTERM,
					region->pages + region->n NO_VMAS);
		mmap_read_unlock(current->mm);
		if (pinned <= 0) {
			return pinned ? pinned : -EFAULT;
		}
		region->n += pinned;
		if (fatal_signal_pending(current)) {
			return -EINTR;
		}
	}
	return 0;
}

int kt_gpu_user_register(struct kt_gpu *gpu, uint64_t address, uint64_t bytes,
			 uint64_t *name)
{
	struct abi_memory *at = gpu->kernel;
	unsigned long n = bytes >> PAGE_SHIFT;
	struct region *region;
	int error;

	if (n > NAMES - at->next_name || !abi_pages_charge(n)) {
		return -ENOMEM;
	}
	region = kvzalloc(struct_size(region, pages, n), GFP_KERNEL_ACCOUNT);
	if (!region) {
		abi_pages_uncharge(n);
		return -ENOMEM;
	}
	error = pin(region, address, n);
	for (unsigned long i = 0; !error && i < region->n; i++) {
		error = xa_err(xa_store(&at->user, at->next_name + i, region->pages[i],
					GFP_KERNEL_ACCOUNT));
	}
	if (!error) {
		error = xa_err(
			xa_store(&at->regions, at->next_name, region, GFP_KERNEL_ACCOUNT));
	}
	if (error) {
		for (unsigned long i = 0; i < region->n; i++) {
			xa_erase(&at->user, at->next_name + i);
		}
		unpin_user_pages(region->pages, region->n);
		abi_pages_uncharge(n);
		kvfree(region);
		return error;
	}
	*name = at->next_name << PAGE_SHIFT;
	at->next_name += n;
	return 0;
}

void kt_gpu_user_forget(struct kt_gpu *gpu, uint64_t name)
{
	forget(gpu->kernel, name >> PAGE_SHIFT);
}

void abi_user_end(struct abi_memory *at)
{
	struct region *region;
	unsigned long name;

	xa_for_each(&at->regions, name, region) {
		forget(at, name);
	}
	xa_destroy(&at->user);
	xa_destroy(&at->regions);
}

/*
 * The caller holds the device's lock, so that no address space still has a range whose
 * pages are released.
 */
static bool transfer(struct abi_memory *at, u64 name, void *data, size_t bytes, bool write)
{
	while (bytes) {
		struct page *page = xa_load(&at->user, name >> PAGE_SHIFT);
		size_t n = min_t(size_t, bytes, PAGE_SIZE - offset_in_page(name));
		void *there;

		if (!page) {
			return false;
		}
		there = page_address(page) + offset_in_page(name);
		memcpy(write ? there : data, write ? data : there, n);
		name += n;
		data += n;
		bytes -= n;
	}
	return true;
}

bool kt_gpu_user_read(struct kt_gpu *gpu, uint64_t from, void *out, size_t bytes)
{
	return transfer(gpu->kernel, from, out, bytes, false);
}

bool kt_gpu_user_write(struct kt_gpu *gpu, uint64_t to, const void *data, size_t bytes)
{
	return transfer(gpu->kernel, to, (void *)data, bytes, true);
}

/* Does nothing: pinned pages are accessed through the kernel's own mapping. */
void kt_gpu_user_open(struct kt_gpu *gpu)
{
}

void kt_gpu_user_close(struct kt_gpu *gpu)
{
}
