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

/* NVIDIA's usermode page: time is read at 0x80 and 0x84, and 0x94; 0x90 is the doorbell. */
static unsigned int refresh_offset = 0x80;
module_param(refresh_offset, uint, 0444);
MODULE_PARM_DESC(refresh_offset, "shadow: of the registers that are kept fresh (0x80)");
static unsigned int refresh_bytes = 0x18;
module_param(refresh_bytes, uint, 0444);
MODULE_PARM_DESC(refresh_bytes, "shadow: their length, 0: none (0x18)");
static unsigned int refresh_ms = 10;
module_param(refresh_ms, uint, 0444);
MODULE_PARM_DESC(refresh_ms,
		 "shadow: how often, in ms; 0: at each store, and where the page is "
		 "read for the first time (10)");

#define AT_ONCE 256 /* pages that are refreshed: others wait for this */

struct dw_shadow {
	struct list_head list;        /* of all, until it has ended or was left */
	struct dw_doorbell *doorbell; /* whose it is */
	struct page *page;            /* Owned by this; nobody can write to it but we */
	u32 *memory;                  /* the same */
	spinlock_t lock;              /* of what follows, and of the device's page */
	bool ended;                   /* that is not ours to touch any more */
	unsigned int revokes;         /* how often the driver has taken its pages away */
	void __iomem *real;           /* the device's page, in kernel space */
	bool is_memory;               /* so it is memory, too (a test device's) */
	struct mmu_interval_notifier notifier;
};

static LIST_HEAD(shadows);
static DEFINE_MUTEX(lock); /* of `shadows`; taken within mmap_lock */

/* With the lock: the driver has not taken its pages away, nor been told that the VMA goes.
 */
static bool is_awake(const struct dw_shadow *shadow)
{
	return !shadow->ended && !test_bit(DW_DOORBELL_REVOKED, &shadow->doorbell->state);
}

/* --- registers that are read --- */

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

/* A system that is about to sleep has its tasks frozen. */
static void refresh_later(void)
{
	queue_delayed_work(system_freezable_wq, &refreshing, msecs_to_jiffies(refresh_ms));
}
/* Where there are more than are refreshed at once each has its turn. */
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
			list_del_init(&shadow->list); /* it has been left, for good */
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

/* --- a device that sleeps --- */

/*
 * A driver takes its pages away before the device sleeps, and its fault handler wakes the
 * device: until that one has been asked nothing of the device is touched.
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

/* --- life --- */

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
	/* Not of high memory, and zeroed: it shows nobody else's. */
	shadow->page = alloc_page(GFP_KERNEL_ACCOUNT | __GFP_ZERO);
	if (!shadow->page) {
		kfree(shadow);
		return NULL;
	}
	/* On this processor both are touched alike. */
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
	/* Huge entries come by another way. */
	return (vma->vm_flags & VM_PFNMAP) && (vma->vm_flags & VM_SHARED) &&
	       !mapping->inner->huge_fault;
}

/* What the driver takes away from here on we are told. */
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
 * Where the real page is not mapped, or has been taken away before its door was open, the
 * device may sleep, if the driver has a way to wake it.
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
 * One that the driver has taken away comes by its fault handler, or not at all; one whose
 * accesses are traced when it is touched. Where no shadow was possible the page has stayed.
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
	/* Without a shadow we are not told what the driver does. */
	if (test_bit(DW_DOORBELL_REVOKED, &doorbell->state) ||
	    (!doorbell->shadow && doorbell->mapping->inner->fault) ||
	    !dw_noted_pfn(doorbell->mapping->access, doorbell->page, &pfn)) {
		return;
	}
	vmf_insert_pfn_prot(vma, doorbell->page, doorbell->pfn, vma->vm_page_prot);
	if (test_bit(DW_DOORBELL_REVOKED, &doorbell->state)) {
		dw_zap(vma, doorbell->page,
		       PAGE_SIZE); /* it was not there when he took it */
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
	/* Who reads another register than the doorbell finds there what was stored. */
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

/* --- init and exit --- */

int dw_shadow_init(void)
{
	if (refresh_offset % 4 || refresh_offset >= PAGE_SIZE ||
	    refresh_bytes > PAGE_SIZE - refresh_offset) {
		pr_err("parameters refresh_offset, refresh_bytes: not within a page\n");
		return -EINVAL;
	}
	return 0;
}

void dw_shadow_exit(void)
{
	cancel_delayed_work_sync(&refreshing);
}
