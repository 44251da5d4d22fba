// SPDX-License-Identifier: GPL-2.0
#include "watch/shadow.h"

#include <linux/bit_spinlock.h>
#include <linux/irqflags.h>
#include <linux/io.h>
#include <linux/list.h>
#include <linux/moduleparam.h>
#include <linux/mutex.h>
#include <linux/slab.h>
#include <linux/workqueue.h>

#include "watch/counters.h"
#include "watch/deferred.h"
#include "watch/door.h"
#include "watch/mapping.h"
#include "watch/watch.h"

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
		 "shadow: how often, beside each fault, and stores without a trap "
		 "are looked for; 0: at faults alone, and they are not (10)");

/* So often a value must have been seen in the doorbell's word to be taken for lost. */
#define LOOKS 10

struct dw_shadow {
	struct list_head list; /* of all */
	struct page *page;     /* Owned by this */
	u32 *memory;           /* the same */
	u32 last;              /* what was forwarded last */
	u32 waiting;           /* what the doorbell's word held at the last looks */
	unsigned int looks;    /* so many */
	unsigned long locked;  /* bit 0: forwarding. Not a spinlock: lockdep takes a trap of
				* the kernel's for an NMI, where there must be none */
	void *real;            /* the device's page, in kernel space */
	bool is_memory;        /* so it is memory, too (a test device's) */
};

static LIST_HEAD(shadows);
static DEFINE_MUTEX(lock); /* of `shadows` */

/* --- the device's page --- */

static bool map_real(struct dw_shadow *shadow, unsigned long pfn)
{
	phys_addr_t physical = (phys_addr_t)pfn << PAGE_SHIFT;

	shadow->is_memory = page_is_ram(pfn);
	shadow->real = shadow->is_memory ? memremap(physical, PAGE_SIZE, MEMREMAP_WB)
					 : (void __force *)ioremap(physical, PAGE_SIZE);
	return shadow->real;
}

static void unmap_real(struct dw_shadow *shadow)
{
	if (shadow->is_memory) {
		memunmap(shadow->real);
	} else {
		iounmap((void __iomem __force *)shadow->real);
	}
}

static u32 read_real(const struct dw_shadow *shadow, unsigned long offset)
{
	u32 *word = shadow->real + offset;

	return shadow->is_memory ? READ_ONCE(*word) : readl((void __iomem __force *)word);
}

static u32 *doorbell_word(const struct dw_shadow *shadow)
{
	return &shadow->memory[dw_door_offset() / 4];
}

/*
 * The word in memory is 0 again, unless another thread has stored there meanwhile: what
 * stands there for long has not been forwarded. The lock is held.
 */
static void forward(struct dw_shadow *shadow, u32 value)
{
	u32 *word = shadow->real + dw_door_offset();

	WRITE_ONCE(shadow->last, value);
	if (shadow->is_memory) {
		smp_store_release(word, value);
	} else {
		writel(value, (void __iomem __force *)word);
	}
	cmpxchg(doorbell_word(shadow), value, 0);
}

static void lock_shadow(struct dw_shadow *shadow, unsigned long *flags)
{
	local_irq_save(*flags);
	bit_spin_lock(0, &shadow->locked);
}

static void unlock_shadow(struct dw_shadow *shadow, const unsigned long *flags)
{
	bit_spin_unlock(0, &shadow->locked);
	local_irq_restore(*flags);
}

void dw_shadow_forward(struct dw_door *door, u32 value)
{
	unsigned long flags;

	lock_shadow(door->shadow, &flags);
	forward(door->shadow, value);
	unlock_shadow(door->shadow, &flags);
}

/* 0: another thread has stored the same value, and it has been forwarded. */
u32 dw_shadow_word(struct dw_door *door)
{
	u32 word = READ_ONCE(*doorbell_word(door->shadow));

	return word ? word : READ_ONCE(door->shadow->last);
}

/*
 * A store that has not trapped: that of a task which is not watched (a kernel thread that
 * has borrowed the mm), or QEMU's: 7.2 misses some of the locked instructions. It
 * is late, but not lost.
 */
static void rescue(struct dw_shadow *shadow)
{
	unsigned long flags;
	u32 word;

	lock_shadow(shadow, &flags);
	word = READ_ONCE(*doorbell_word(shadow));
	if (word) {
		dw_count(rescued);
		forward(shadow, word);
	}
	unlock_shadow(shadow, &flags);
}

/* Not at once: the handler of that store may be about to come to it. */
static void look_for_lost(struct dw_shadow *shadow)
{
	u32 word = READ_ONCE(*doorbell_word(shadow));

	shadow->looks = word && word == shadow->waiting ? shadow->looks + 1 : 0;
	shadow->waiting = word;
	if (shadow->looks >= LOOKS) {
		rescue(shadow);
		shadow->looks = 0;
	}
}

/* --- looking now and then --- */

static void refresh(struct dw_shadow *shadow)
{
	for (unsigned int i = 0; i < refresh_bytes; i += 4) {
		unsigned int offset = refresh_offset + i;

		if (offset != dw_door_offset()) {
			WRITE_ONCE(shadow->memory[offset / 4], read_real(shadow, offset));
		}
	}
}

/* Registers that are read are made fresh, stores without a trap are forwarded. */
static void look_at_all(struct work_struct *work)
{
	struct dw_shadow *shadow;

	mutex_lock(&lock);
	list_for_each_entry(shadow, &shadows, list) {
		look_for_lost(shadow);
		refresh(shadow);
	}
	if (!list_empty(&shadows)) {
		schedule_delayed_work(to_delayed_work(work), msecs_to_jiffies(refresh_ms));
	}
	mutex_unlock(&lock);
}

static DECLARE_DELAYED_WORK(looking, look_at_all);

static void keep_fresh(struct dw_shadow *shadow)
{
	refresh(shadow);
	mutex_lock(&lock);
	list_add(&shadow->list, &shadows);
	mutex_unlock(&lock);
	if (refresh_ms) {
		schedule_delayed_work(&looking, msecs_to_jiffies(refresh_ms));
	}
}

/* --- life --- */

static struct dw_shadow *create(unsigned long pfn)
{
	struct dw_shadow *shadow = kzalloc(sizeof(*shadow), GFP_KERNEL_ACCOUNT);

	if (!shadow) {
		return NULL;
	}
	/* Not of high memory, and zeroed: it shows nobody else's. */
	shadow->page = alloc_page(GFP_KERNEL | __GFP_ZERO);
	if (!shadow->page || !map_real(shadow, pfn)) {
		if (shadow->page) {
			__free_page(shadow->page);
		}
		kfree(shadow);
		return NULL;
	}
	shadow->memory = page_address(shadow->page);
	return shadow;
}

/*
 * A store that was under way has reached the real page, and its handler has run: zapping
 * has interrupted all CPUs of the process.
 */
int dw_shadow_begin(struct dw_door *door, struct vm_area_struct *vma)
{
	if (!(vma->vm_flags & VM_PFNMAP) || !(vma->vm_flags & VM_SHARED)) {
		return -EINVAL;
	}
	door->shadow = create(door->pfn);
	if (!door->shadow) {
		return -ENOMEM;
	}
	keep_fresh(door->shadow);
	dw_mapping_lock_vma(vma);
	zap_vma_ptes(vma, door->page, PAGE_SIZE);
	set_bit(DW_DOOR_SHADOW, &door->state);
	return 0;
}

void dw_shadow_put_real(struct dw_door *door, struct vm_area_struct *vma)
{
	dw_mapping_lock_vma(vma);
	zap_vma_ptes(vma, door->page, PAGE_SIZE);
	if (test_and_clear_bit(DW_DOOR_SHADOW, &door->state)) {
		rescue(door->shadow);
	}
	/* A driver with a fault handler maps it when it likes to. */
	if (!door->mapping->inner->fault) {
		vmf_insert_pfn_prot(vma, door->page, door->pfn, vma->vm_page_prot);
	}
}

void dw_shadow_free(struct dw_door *door)
{
	struct dw_shadow *shadow = door->shadow;

	if (!shadow) {
		return;
	}
	mutex_lock(&lock);
	list_del(&shadow->list);
	mutex_unlock(&lock);
	rescue(shadow);
	unmap_real(shadow);
	__free_page(shadow->page);
	kfree(shadow);
}

/* --- accesses --- */

vm_fault_t dw_shadow_fault(struct dw_door *door, struct vm_fault *fault)
{
	struct vm_area_struct *vma = fault->vma;

	if (!(fault->flags & FAULT_FLAG_USER)) {
		dw_count(refused);
		return VM_FAULT_SIGBUS;
	}
	refresh(door->shadow);
	return vmf_insert_pfn_prot(vma, door->page, page_to_pfn(door->shadow->page),
				   vm_get_page_prot(vma->vm_flags));
}

void dw_shadow_close(struct dw_door *door)
{
	struct mm_struct *mm = current->mm;
	struct vm_area_struct *vma;

	mmap_read_lock(mm);
	vma = dw_mapping_vma(door->mapping, door->page);
	if (vma && test_bit(DW_DOOR_SHADOW, &door->state)) {
		zap_vma_ptes(vma, door->page, PAGE_SIZE);
	}
	mmap_read_unlock(mm);
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
	cancel_delayed_work_sync(&looking);
}
