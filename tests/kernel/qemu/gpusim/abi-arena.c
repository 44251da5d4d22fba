// SPDX-License-Identifier: GPL-2.0
/*
 * Physical memory. The device addresses 6 GiB of it by page number. A page exists from its
 * first use until its allocation is freed or, if the page is mapped, until its last mapping
 * is unmapped.
 *
 * All processes share the usermode page, as on a GPU. All write the same doorbell, so a
 * store to it gives no information beyond GP_PUT.
 */
#include <linux/atomic.h>
#include <linux/io.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>

#include "abi.h"
#include "corpus/softgpu/device/engine.h"

#define TRANSFER_BYTES (2 * KT_ABI_WINDOW_BYTES)

static unsigned long memory;
module_param(memory, ulong, 0444);
MODULE_PARM_DESC(
	memory,
	"MiB of pages for all processes together (0: half of the machine's memory)");

static unsigned long usermode_address;
module_param(usermode_address, ulong, 0400);
MODULE_PARM_DESC(usermode_address,
		 "(read-only) physical address of the page with the doorbell");

static unsigned long limit; /* of `used`, in pages */
static atomic_long_t used;  /* number of charged references to pages */
static void *usermode;

bool abi_pages_charge(unsigned long n)
{
	if (n <= limit && atomic_long_add_return(n, &used) <= limit) {
		return true;
	}
	if (n <= limit) {
		atomic_long_sub(n, &used);
	}
	return false;
}

void abi_pages_uncharge(unsigned long n)
{
	atomic_long_sub(n, &used);
}

/* Returns a zeroed, charged page, or NULL if no memory is available. */
static struct page *page_new(void)
{
	struct page *page;

	if (!abi_pages_charge(1)) {
		return NULL;
	}
	/*
	 * With these flags, a lack of memory makes the caller's channel fail. Without them,
	 * the OOM killer could end an unrelated process.
	 */
	page = alloc_page(GFP_KERNEL_ACCOUNT | __GFP_ZERO | __GFP_NOWARN |
			  __GFP_RETRY_MAYFAIL);
	if (!page) {
		abi_pages_uncharge(1);
	}
	return page;
}

static void drop(struct page *page)
{
	put_page(page);
	abi_pages_uncharge(1);
}

struct page *abi_page_in(struct xarray *pages, unsigned long index)
{
	struct page *page = xa_load(pages, index);
	struct page *other;

	if (page) {
		return page;
	}
	page = page_new();
	if (!page) {
		return NULL;
	}
	other = xa_cmpxchg(pages, index, NULL, page, GFP_KERNEL_ACCOUNT);
	if (!other) {
		return page;
	}
	drop(page);
	return xa_is_err(other) ? NULL : other;
}

static struct page *page_at(struct abi_memory *at, u64 physical)
{
	return abi_page_in(&at->pages, physical >> PAGE_SHIFT);
}

/*
 * Returns the kernel address of `physical` in a register page, or NULL if `physical` is in
 * no register page. *left is the number of bytes from there to the end of the pages of this
 * kind.
 */
static void *register_at(const struct abi_memory *at, u64 physical, u64 *left)
{
	if (physical < KT_GPU_USERMODE_AT) {
		return NULL;
	}
	if (physical < KT_GPU_TRANSFER_AT) {
		*left = KT_GPU_TRANSFER_AT - physical;
		return usermode + (physical - KT_GPU_USERMODE_AT);
	}
	*left = KT_GPU_ARENA_BYTES - physical;
	return at->transfer + (physical - KT_GPU_TRANSFER_AT);
}

uint8_t *kt_gpu_at(const struct kt_gpu *gpu, uint64_t physical, uint64_t *bytes)
{
	u64 left = PAGE_SIZE - offset_in_page(physical);
	void *where = register_at(gpu->kernel, physical, &left);

	if (!where) {
		struct page *page = page_at(gpu->kernel, physical);

		if (!page) {
			return NULL;
		}
		where = page_address(page) + offset_in_page(physical);
	}
	*bytes = min(*bytes, left);
	return where;
}

struct page *abi_page_get(struct kt_gpu *gpu, u64 physical)
{
	struct abi_memory *at = gpu->kernel;
	struct page *page;
	u64 left;
	void *where = register_at(at, physical, &left);

	if (where) {
		page = is_vmalloc_addr(where) ? vmalloc_to_page(where)
					      : virt_to_page(where);
		get_page(page);
		return page;
	}
	do {
		xa_lock(&at->pages);
		page = xa_load(&at->pages, physical >> PAGE_SHIFT);
		if (page) {
			get_page(page);
		}
		xa_unlock(&at->pages);
	} while (!page && page_at(at, physical));
	return page;
}

/* Drops the arena's pages in the range. Mappings keep their own references to pages. */
void kt_gpu_arena_clear(struct kt_gpu *gpu, uint64_t physical, uint64_t bytes)
{
	struct abi_memory *at = gpu->kernel;
	unsigned long last = (physical + bytes - 1) >> PAGE_SHIFT;
	unsigned long index;
	struct page *page;

	xa_for_each_range(&at->pages, index, page, physical >> PAGE_SHIFT, last) {
		xa_erase(&at->pages, index);
		drop(page);
		cond_resched();
	}
}

/*
 * Clears the range, because mappings may have created pages since its last allocation was
 * freed.
 */
void kt_gpu_arena_take(struct kt_gpu *gpu, uint64_t physical, uint64_t bytes)
{
	kt_gpu_arena_clear(gpu, physical, bytes);
}

int kt_gpu_arena_create(struct kt_gpu *gpu)
{
	struct abi_memory *at = kzalloc(sizeof(*at), GFP_KERNEL_ACCOUNT);

	if (!at) {
		return -ENOMEM;
	}
	xa_init(&at->pages);
	xa_init(&at->user);
	xa_init(&at->regions);
	at->next_name = 1;
	gpu->kernel = at;
	at->transfer = __vmalloc(TRANSFER_BYTES, GFP_KERNEL_ACCOUNT | __GFP_ZERO);
	return at->transfer ? 0 : -ENOMEM; /* on failure the caller frees */
}

void kt_gpu_arena_free(struct kt_gpu *gpu)
{
	struct abi_memory *at = gpu->kernel;

	if (!at) {
		return;
	}
	kt_gpu_arena_clear(gpu, 0, KT_GPU_USERMODE_AT);
	xa_destroy(&at->pages);
	vfree(at->transfer);
	abi_user_end(at);
	kfree(at);
	gpu->kernel = NULL;
}

int abi_arena_init(void)
{
	limit = memory ? memory << (20 - PAGE_SHIFT) : totalram_pages() / 2;
	usermode = alloc_pages_exact(KT_ABI_USERMODE_BYTES, GFP_KERNEL | __GFP_ZERO);
	if (!usermode) {
		return -ENOMEM;
	}
	usermode_address = virt_to_phys(usermode);
	return 0;
}

void abi_arena_exit(void)
{
	WARN_ON(atomic_long_read(&used) != 0);
	free_pages_exact(usermode, KT_ABI_USERMODE_BYTES);
}
