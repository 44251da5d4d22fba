// SPDX-License-Identifier: GPL-2.0
#include "watch/doorbell/shadow.h"

#include <linux/io.h>
#include <linux/list.h>
#include <linux/mmu_notifier.h>
#include <linux/moduleparam.h>
#include <linux/mutex.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/workqueue.h>

#include "watch/doorbell/doorbell.h"
#include "watch/state/doorbells.h"

/* NVIDIA's usermode page: the time is read at 0x80, 0x84 and 0x94; 0x90 is the doorbell. */
static unsigned int refresh_offset = 0x80;
module_param(refresh_offset, uint, 0444);
MODULE_PARM_DESC(refresh_offset, "mode shadow: offset of the registers that are refreshed "
				 "(default 0x80)");
static unsigned int refresh_bytes = 0x18;
module_param(refresh_bytes, uint, 0444);
MODULE_PARM_DESC(refresh_bytes,
		 "mode shadow: bytes of registers that are refreshed, 0: none "
		 "(default 0x18)");
static unsigned int refresh_ms = 10;
module_param(refresh_ms, uint, 0444);
MODULE_PARM_DESC(refresh_ms,
		 "mode shadow: interval of refreshes in ms; 0: at each store, and at the "
		 "first read of the page (default 10)");

#define AT_ONCE 256 /* limit of the pages refreshed in one run of the worker */

struct dw_shadow {
	/* In the list of all shadows, until this one ends or the device page replaces it */
	struct list_head list;
	struct dw_doorbell *doorbell; /* Weak: the doorbell owns this */
	struct page *page;            /* Owned by this; read-only for the process */
	u32 *memory;                  /* kernel address of `page` */
	spinlock_t lock; /* protects the members below and accesses to the device page */
	bool ended;      /* the device must not be accessed any more */
	unsigned int revokes; /* how many times the driver has unmapped the device page */
	/* Owned by this: the device page, mapped in the kernel */
	void __iomem *real;
	bool is_memory; /* `real` is RAM (a test device) */
	struct mmu_interval_notifier notifier;
};

static LIST_HEAD(shadows);
static DEFINE_MUTEX(lock); /* protects `shadows`; taken after mmap_lock */

/*
 * Returns whether the device may be accessed: the driver has not unmapped its page, and the
 * VMA still exists. shadow->lock is held.
 */
static bool is_awake(const struct dw_shadow *shadow)
{
	return !shadow->ended && !test_bit(DW_DOORBELL_REVOKED, &shadow->doorbell->state);
}

/* --- registers that programs read --- */

static void refresh(struct dw_shadow *shadow)
{
	unsigned long flags;

	spin_lock_irqsave(&shadow->lock, flags);
	for (unsigned int i = 0; is_awake(shadow) && i < refresh_bytes; i += 4) {
		unsigned int offset = refresh_offset + i;

		if (offset != dw_doorbell_offset()) {
			WRITE_ONCE(shadow->memory[offset / 4],
				   readl(shadow->real + offset));
		}
	}
	spin_unlock_irqrestore(&shadow->lock, flags);
}

static void refresh_all(struct work_struct *work);
static DECLARE_DELAYED_WORK(refreshing, refresh_all);

/* Uses a freezable queue, so that no device is read while the system sleeps. */
static void refresh_later(void)
{
	queue_delayed_work(system_freezable_wq, &refreshing, msecs_to_jiffies(refresh_ms));
}

/* Refreshes up to AT_ONCE shadows in turn; the rest follow in the next run. */
static void refresh_all(struct work_struct *work)
{
	const struct dw_shadow *first = NULL;
	struct dw_shadow *shadow;

	mutex_lock(&lock);
	for (int n = 0; n < AT_ONCE; n++) {
		shadow = list_first_entry_or_null(&shadows, struct dw_shadow, list);
		if (!shadow || shadow == first) {
			break;
		}
		if (!test_bit(DW_DOORBELL_SHADOW, &shadow->doorbell->state)) {
			/* The device page has replaced the shadow for good. */
			list_del_init(&shadow->list);
			continue;
		}
		refresh(shadow);
		list_move_tail(&shadow->list, &shadows);
		first = first ? first : shadow;
	}
	if (!list_empty(&shadows)) {
		refresh_later();
	}
	mutex_unlock(&lock);
}

void dw_shadow_refresh(struct dw_doorbell *doorbell)
{
	refresh(doorbell->shadow);
}

/* --- sleeping devices --- */

/*
 * A driver unmaps its pages before the device sleeps, and the driver's fault handler wakes
 * the device. From an unmapping until that handler has run, the device is not accessed.
 */
static bool revoked(struct mmu_interval_notifier *notifier,
		    const struct mmu_notifier_range *range, unsigned long sequence)
{
	struct dw_shadow *shadow = container_of(notifier, struct dw_shadow, notifier);
	bool is_revoke = range->event == MMU_NOTIFY_CLEAR && !dw_zap_is_ours();
	unsigned long flags;

	spin_lock_irqsave(&shadow->lock, flags);
	mmu_interval_set_seq(notifier, sequence);
	if (is_revoke) {
		shadow->revokes++;
		set_bit(DW_DOORBELL_REVOKED, &shadow->doorbell->state);
	}
	spin_unlock_irqrestore(&shadow->lock, flags);
	return true;
}

static const struct mmu_interval_notifier_ops notifier_ops = {.invalidate = revoked};

unsigned int dw_shadow_revokes(struct dw_doorbell *doorbell)
{
	mmu_interval_read_begin(&doorbell->shadow->notifier);
	return READ_ONCE(doorbell->shadow->revokes);
}

bool dw_shadow_came_back(struct dw_doorbell *doorbell, unsigned int revokes)
{
	struct dw_shadow *shadow = doorbell->shadow;
	unsigned long flags;
	bool is_back;

	spin_lock_irqsave(&shadow->lock, flags);
	is_back = shadow->revokes == revokes;
	if (is_back) {
		clear_bit(DW_DOORBELL_REVOKED, &doorbell->state);
	}
	spin_unlock_irqrestore(&shadow->lock, flags);
	return is_back;
}

/* --- create and destroy --- */

bool dw_shadow_has_page(const struct dw_doorbell *doorbell, unsigned long pfn)
{
	return pfn == page_to_pfn(doorbell->shadow->page);
}

unsigned long dw_shadow_page(const struct dw_doorbell *doorbell)
{
	return page_to_pfn(doorbell->shadow->page);
}

static struct dw_shadow *create(struct dw_doorbell *doorbell)
{
	phys_addr_t physical = (phys_addr_t)doorbell->pfn << PAGE_SHIFT;
	struct dw_shadow *shadow = kzalloc(sizeof(*shadow), GFP_KERNEL_ACCOUNT);

	if (!shadow) {
		return NULL;
	}
	/*
	 * The page is not from high memory, so that it has a kernel address, and is zeroed,
	 * because the process may read it.
	 */
	shadow->page = alloc_page(GFP_KERNEL_ACCOUNT | __GFP_ZERO);
	if (!shadow->page) {
		kfree(shadow);
		return NULL;
	}
	/*
	 * On x86, the same functions access RAM and device registers, so `real` may be RAM.
	 */
	shadow->is_memory = page_is_ram(doorbell->pfn);
	shadow->real =
		shadow->is_memory
			? (void __iomem __force *)memremap(physical, PAGE_SIZE, MEMREMAP_WB)
			: ioremap(physical, PAGE_SIZE);
	if (!shadow->real) {
		__free_page(shadow->page);
		kfree(shadow);
		return NULL;
	}
	INIT_LIST_HEAD(&shadow->list);
	spin_lock_init(&shadow->lock);
	shadow->memory = page_address(shadow->page);
	shadow->doorbell = doorbell;
	return shadow;
}

static void destroy(struct dw_shadow *shadow)
{
	if (shadow->is_memory) {
		memunmap((void __force *)shadow->real);
	} else {
		iounmap(shadow->real);
	}
	__free_page(shadow->page);
	kfree(shadow);
}

bool dw_shadow_is_possible(const struct dw_mapping *mapping,
			   const struct vm_area_struct *vma)
{
	/* Huge entries would bypass this module's fault handler. */
	return (vma->vm_flags & VM_PFNMAP) && (vma->vm_flags & VM_SHARED) &&
	       !mapping->inner->huge_fault;
}

/* From now on the notifier reports when the driver unmaps the page. */
int dw_shadow_prepare(struct dw_doorbell *doorbell)
{
	struct dw_shadow *shadow = create(doorbell);
	int error;

	if (!shadow) {
		return -ENOMEM;
	}
	error = mmu_interval_notifier_insert(&shadow->notifier, doorbell->mapping->mm,
					     doorbell->page, PAGE_SIZE, &notifier_ops);
	if (error) {
		destroy(shadow);
		return error;
	}
	mmu_interval_read_begin(&shadow->notifier);
	doorbell->shadow = shadow;
	return 0;
}

/*
 * Marks the page as revoked if the device may be asleep, so that the next access wakes it.
 * The device may be asleep if the driver has a fault handler, and the device page is not
 * mapped or was unmapped before the doorbell was opened.
 */
void dw_shadow_begin(struct dw_doorbell *doorbell, struct vm_area_struct *vma)
{
	unsigned long pfn;

	dw_mapping_lock_vma(vma);
	if (doorbell->mapping->inner->fault &&
	    (doorbell->mapping->doorbell_pfn || dw_mapping_pfn(vma, doorbell->page, &pfn) ||
	     pfn != doorbell->pfn)) {
		set_bit(DW_DOORBELL_REVOKED, &doorbell->state);
	}
	dw_zap(vma, doorbell->page, PAGE_SIZE);
	set_bit(DW_DOORBELL_SHADOW, &doorbell->state);
	refresh(doorbell->shadow);
	mutex_lock(&lock);
	list_add(&doorbell->shadow->list, &shadows);
	mutex_unlock(&lock);
	if (refresh_ms) {
		refresh_later();
	}
}

/*
 * Does nothing if no shadow was possible, so that the device page is still mapped, or if
 * the page frame is unknown. Otherwise, maps the device page, except in two cases: the
 * driver has, or may have, unmapped it, so that the driver's fault handler must map it; or
 * accesses to it are traced, so that it is mapped when touched.
 */
void dw_shadow_put_real(struct dw_doorbell *doorbell, struct vm_area_struct *vma)
{
	unsigned long pfn;

	if (!dw_shadow_is_possible(doorbell->mapping, vma) || !doorbell->pfn) {
		return;
	}
	dw_mapping_lock_vma(vma);
	dw_zap(vma, doorbell->page, PAGE_SIZE);
	clear_bit(DW_DOORBELL_SHADOW, &doorbell->state);
	/*
	 * Without a shadow no notifier has reported whether the driver has unmapped the
	 * page, so the driver's fault handler, if any, must map it.
	 */
	if (test_bit(DW_DOORBELL_REVOKED, &doorbell->state) ||
	    (!doorbell->shadow && doorbell->mapping->inner->fault) ||
	    !dw_noted_pfn(doorbell->mapping->access, doorbell->page, &pfn)) {
		return;
	}
	vmf_insert_pfn_prot(vma, doorbell->page, doorbell->pfn, vma->vm_page_prot);
	if (test_bit(DW_DOORBELL_REVOKED, &doorbell->state)) {
		/*
		 * The driver has unmapped the page meanwhile: the next access must fault.
		 */
		dw_zap(vma, doorbell->page, PAGE_SIZE);
	}
}

void dw_shadow_end(struct dw_doorbell *doorbell)
{
	struct dw_shadow *shadow = doorbell->shadow;
	unsigned long flags;

	if (!shadow) {
		return;
	}
	mutex_lock(&lock);
	list_del_init(&shadow->list);
	mutex_unlock(&lock);
	spin_lock_irqsave(&shadow->lock, flags);
	shadow->ended = true;
	spin_unlock_irqrestore(&shadow->lock, flags);
}

void dw_shadow_free(struct dw_doorbell *doorbell)
{
	if (doorbell->shadow) {
		dw_shadow_end(doorbell);
		mmu_interval_notifier_remove(&doorbell->shadow->notifier);
		destroy(doorbell->shadow);
	}
}

/* --- stores --- */

bool dw_shadow_store(struct dw_doorbell *doorbell, const struct dw_store *store,
		     unsigned long ip_after)
{
	struct dw_shadow *shadow = doorbell->shadow;
	void __iomem *real = shadow->real + (store->to - doorbell->page);
	u8 *memory = (u8 *)shadow->memory;
	unsigned long flags;
	bool awake;

	spin_lock_irqsave(&shadow->lock, flags);
	awake = is_awake(shadow);
	if (!awake) {
		spin_unlock_irqrestore(&shadow->lock, flags);
		return false;
	}
	if (dw_shadow_is_doorbell(doorbell, store)) {
		dw_doorbell_written(doorbell, "shadow", ip_after, true,
				    (u32)(store->value >> 8 * (doorbell->at - store->to)));
	}
	/*
	 * Stores to other registers than the doorbell also go to the shadow page, so that a
	 * read returns what was stored.
	 */
	for (unsigned int i = 0; i < store->size; i++) {
		unsigned long at = store->to + i;

		if (at < doorbell->at || at >= doorbell->at + 4) {
			WRITE_ONCE(memory[at - doorbell->page],
				   (u8)(store->value >> 8 * i));
		}
	}
	switch (store->size) {
	case 1: writeb((u8)store->value, real); break;
	case 2: writew((u16)store->value, real); break;
	case 4: writel((u32)store->value, real); break;
	default:
		if ((unsigned long)real % 8 == 0) {
			writeq(store->value, real);
		} else {
			writel((u32)store->value, real);
			writel((u32)(store->value >> 32), real + 4);
		}
		break;
	}
	spin_unlock_irqrestore(&shadow->lock, flags);
	if (!refresh_ms) {
		refresh(shadow);
	}
	return true;
}

/* --- load and unload --- */

int dw_shadow_init(void)
{
	if (refresh_offset % 4 || refresh_offset >= PAGE_SIZE ||
	    refresh_bytes > PAGE_SIZE - refresh_offset) {
		pr_err("parameters refresh_offset, refresh_bytes: not words within a "
		       "page\n");
		return -EINVAL;
	}
	return 0;
}

void dw_shadow_exit(void)
{
	cancel_delayed_work_sync(&refreshing);
}
