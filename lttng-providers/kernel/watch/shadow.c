// SPDX-License-Identifier: GPL-2.0
#include "watch/shadow.h"

#include <linux/io.h>
#include <linux/list.h>
#include <linux/mmu_notifier.h>
#include <linux/moduleparam.h>
#include <linux/mutex.h>
#include <linux/sched/task_stack.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/workqueue.h>

#include "watch/access.h"
#include "watch/counters.h"
#include "watch/door.h"
#include "watch/doorbell.h"
#include "watch/mapping.h"
#include "watch/user-code.h"
#include "watch/watch.h"
#include "watch/zap.h"

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
	struct list_head list; /* of all, until it has ended or was left */
	struct dw_door *door;  /* whose it is */
	struct page *page;     /* Owned by this; nobody can write to it but we */
	u32 *memory;           /* the same */
	spinlock_t lock;       /* of what follows, and of the device's page */
	bool ended;            /* that is not ours to touch any more */
	unsigned int revokes;  /* how often the driver has taken its pages away */
	void __iomem *real;    /* the device's page, in kernel space */
	bool is_memory;        /* so it is memory, too (a test device's) */
	struct mmu_interval_notifier notifier;
};

static LIST_HEAD(shadows);
static DEFINE_MUTEX(lock); /* of `shadows`; taken within mmap_lock */

/* --- the device's page --- */

static bool map_real(struct dw_shadow *shadow, unsigned long pfn)
{
	phys_addr_t physical = (phys_addr_t)pfn << PAGE_SHIFT;

	/* On this processor both are touched alike. */
	shadow->is_memory = page_is_ram(pfn);
	shadow->real =
		shadow->is_memory
			? (void __iomem __force *)memremap(physical, PAGE_SIZE, MEMREMAP_WB)
			: ioremap(physical, PAGE_SIZE);
	return shadow->real;
}

static void unmap_real(struct dw_shadow *shadow)
{
	if (shadow->is_memory) {
		memunmap((void __force *)shadow->real);
	} else {
		iounmap(shadow->real);
	}
}

/* With the lock: the driver has not taken its pages away, nor been told that the VMA goes.
 */
static bool is_awake(const struct dw_shadow *shadow)
{
	return !shadow->ended && !test_bit(DW_DOOR_REVOKED, &shadow->door->state);
}

/* --- registers that are read --- */

static void refresh(struct dw_shadow *shadow)
{
	unsigned long flags;

	spin_lock_irqsave(&shadow->lock, flags);
	for (unsigned int i = 0; is_awake(shadow) && i < refresh_bytes; i += 4) {
		unsigned int offset = refresh_offset + i;

		if (offset != dw_door_offset()) {
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
		if (!test_bit(DW_DOOR_SHADOW, &shadow->door->state)) {
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

static void keep_fresh(struct dw_shadow *shadow)
{
	refresh(shadow);
	mutex_lock(&lock);
	list_add(&shadow->list, &shadows);
	mutex_unlock(&lock);
	if (refresh_ms) {
		refresh_later();
	}
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
		set_bit(DW_DOOR_REVOKED, &shadow->door->state);
	}
	spin_unlock_irqrestore(&shadow->lock, flags);
	return true;
}

static const struct mmu_interval_notifier_ops notifier_ops = {.invalidate = revoked};

unsigned int dw_shadow_revokes(struct dw_door *door)
{
	mmu_interval_read_begin(&door->shadow->notifier);
	return READ_ONCE(door->shadow->revokes);
}

bool dw_shadow_came_back(struct dw_door *door, unsigned int revokes)
{
	struct dw_shadow *shadow = door->shadow;
	unsigned long flags;
	bool is_back;

	spin_lock_irqsave(&shadow->lock, flags);
	is_back = shadow->revokes == revokes;
	if (is_back) {
		clear_bit(DW_DOOR_REVOKED, &door->state);
	}
	spin_unlock_irqrestore(&shadow->lock, flags);
	return is_back;
}

/* --- life --- */

bool dw_shadow_has_page(const struct dw_door *door, unsigned long pfn)
{
	return pfn == page_to_pfn(door->shadow->page);
}

static struct dw_shadow *create(struct dw_door *door)
{
	struct dw_shadow *shadow = kzalloc(sizeof(*shadow), GFP_KERNEL_ACCOUNT);

	if (!shadow) {
		return NULL;
	}
	/* Not of high memory, and zeroed: it shows nobody else's. */
	shadow->page = alloc_page(GFP_KERNEL_ACCOUNT | __GFP_ZERO);
	if (!shadow->page || !map_real(shadow, door->pfn)) {
		if (shadow->page) {
			__free_page(shadow->page);
		}
		kfree(shadow);
		return NULL;
	}
	INIT_LIST_HEAD(&shadow->list);
	spin_lock_init(&shadow->lock);
	shadow->memory = page_address(shadow->page);
	shadow->door = door;
	return shadow;
}

static void destroy(struct dw_shadow *shadow)
{
	unmap_real(shadow);
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
int dw_shadow_prepare(struct dw_door *door)
{
	struct dw_shadow *shadow = create(door);
	int error;

	if (!shadow) {
		return -ENOMEM;
	}
	error = mmu_interval_notifier_insert(&shadow->notifier, door->mapping->mm,
					     door->page, PAGE_SIZE, &notifier_ops);
	if (error) {
		destroy(shadow);
		return error;
	}
	mmu_interval_read_begin(&shadow->notifier);
	door->shadow = shadow;
	return 0;
}

/*
 * Where the real page is not mapped, or has been taken away before its door was open, the
 * device may sleep, if the driver has a way to wake it.
 */
void dw_shadow_begin(struct dw_door *door, struct vm_area_struct *vma)
{
	unsigned long pfn;

	dw_mapping_lock_vma(vma);
	if (door->mapping->inner->fault &&
	    (door->mapping->door_pfn || dw_mapping_pfn(vma, door->page, &pfn) ||
	     pfn != door->pfn)) {
		set_bit(DW_DOOR_REVOKED, &door->state);
	}
	dw_zap(vma, door->page, PAGE_SIZE);
	set_bit(DW_DOOR_SHADOW, &door->state);
	keep_fresh(door->shadow);
}

/*
 * One that the driver has taken away comes by its fault handler, or not at all; one whose
 * accesses are traced when it is touched. Where no shadow was possible the page has stayed.
 */
void dw_shadow_put_real(struct dw_door *door, struct vm_area_struct *vma)
{
	unsigned long pfn;

	if (!dw_shadow_is_possible(door->mapping, vma) || !door->pfn) {
		return;
	}
	dw_mapping_lock_vma(vma);
	dw_zap(vma, door->page, PAGE_SIZE);
	clear_bit(DW_DOOR_SHADOW, &door->state);
	/* Without a shadow we are not told what the driver does. */
	if (test_bit(DW_DOOR_REVOKED, &door->state) ||
	    (!door->shadow && door->mapping->inner->fault) ||
	    !dw_access_pfn(door->mapping, door->page, &pfn)) {
		return;
	}
	vmf_insert_pfn_prot(vma, door->page, door->pfn, vma->vm_page_prot);
	if (test_bit(DW_DOOR_REVOKED, &door->state)) {
		dw_zap(vma, door->page, PAGE_SIZE); /* it was not there when he took it */
	}
}

void dw_shadow_end(struct dw_door *door)
{
	struct dw_shadow *shadow = door->shadow;
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

void dw_shadow_free(struct dw_door *door)
{
	if (door->shadow) {
		dw_shadow_end(door);
		mmu_interval_notifier_remove(&door->shadow->notifier);
		destroy(door->shadow);
	}
}

/* --- stores --- */

/* In the page, and as the device can get it: in pieces that are aligned. */
static bool can_be_made(const struct dw_door *door, const struct dw_store *store)
{
	unsigned long offset = store->to - door->page;

	return store->to >= door->page && offset + store->size <= PAGE_SIZE &&
	       offset % min_t(unsigned int, store->size, 4) == 0;
}

/* All of the doorbell's word, part of it, or nothing. */
static bool covers(const struct dw_door *door, const struct dw_store *store)
{
	return store->to <= door->at && store->to + store->size >= door->at + 4;
}

static bool touches(const struct dw_door *door, const struct dw_store *store)
{
	return store->to < door->at + 4 && store->to + store->size > door->at;
}

/*
 * The store that the current task is about to make, of which a fault has told this address.
 * false: it is one that cannot be made for it, for its value or its place is not told by
 * its instruction, or it must be at once; or the task is to stop behind it (TF), by which
 * uprobes and debuggers run one instruction somewhere else.
 */
static bool find_store(struct dw_store *out, const struct dw_door *door,
		       struct pt_regs *regs, unsigned long address)
{
	struct dw_store_registers registers;
	u8 code[DW_STORE_BYTES];
	size_t n = dw_user_code_at(code, regs->ip);

	dw_user_registers(regs, &registers);
	return n && !(regs->flags & X86_EFLAGS_TF) &&
	       dw_store_decode_next(out, code, n, &registers) && address >= out->to &&
	       address < out->to + out->size && can_be_made(door, out) &&
	       (covers(door, out) || !touches(door, out));
}

static void write_real(const struct dw_shadow *shadow, const struct dw_store *store)
{
	void __iomem *at = shadow->real + (store->to - shadow->door->page);

	switch (store->size) {
	case 1: writeb((u8)store->value, at); break;
	case 2: writew((u16)store->value, at); break;
	case 4: writel((u32)store->value, at); break;
	default:
		if ((unsigned long)at % 8 == 0) {
			writeq(store->value, at);
		} else {
			writel((u32)store->value, at);
			writel((u32)(store->value >> 32), at + 4);
		}
		break;
	}
}

/* Who reads another register than the doorbell finds there what was stored. */
static void write_memory(const struct dw_shadow *shadow, const struct dw_store *store)
{
	const struct dw_door *door = shadow->door;
	u8 *memory = (u8 *)shadow->memory;

	for (unsigned int i = 0; i < store->size; i++) {
		unsigned long at = store->to + i;

		if (at < door->at || at >= door->at + 4) {
			WRITE_ONCE(memory[at - door->page], (u8)(store->value >> 8 * i));
		}
	}
}

/*
 * The device gets it, in the order of the events. false: it has been taken away meanwhile.
 */
static bool make_store(struct dw_shadow *shadow, const struct dw_store *store,
		       unsigned long behind)
{
	struct dw_door *door = shadow->door;
	unsigned long flags;
	bool awake;

	spin_lock_irqsave(&shadow->lock, flags);
	awake = is_awake(shadow);
	if (awake && covers(door, store)) {
		dw_doorbell_rang(door, "shadow", behind, true,
				 (u32)(store->value >> 8 * (door->at - store->to)));
	}
	if (awake) {
		write_memory(shadow, store);
		write_real(shadow, store);
	}
	spin_unlock_irqrestore(&shadow->lock, flags);
	return awake;
}

/* As if the instruction had been carried out. */
static void go_on(struct pt_regs *regs, const struct dw_store *store)
{
	regs->ip += store->length;
	regs->di = store->rdi;
	regs->flags &= ~X86_EFLAGS_RF;
}

static vm_fault_t forward_store(struct dw_door *door, struct vm_fault *fault)
{
	struct pt_regs *regs = task_pt_regs(current);
	struct dw_store store;
	vm_fault_t result;

	if (!find_store(&store, door, regs, fault->real_address)) {
		return dw_watch_leave_shadow_soon(door) ? VM_FAULT_NOPAGE : VM_FAULT_OOM;
	}
	if (!make_store(door->shadow, &store, regs->ip + store.length)) {
		if (!dw_mapping_needs_mmap_lock(fault, &result)) {
			/* It comes again, and must find no page. */
			dw_zap(fault->vma, door->page, PAGE_SIZE);
			result = VM_FAULT_NOPAGE;
		}
		return result;
	}
	go_on(regs, &store);
	if (!refresh_ms) {
		refresh(door->shadow);
	}
	dw_access_note(door->mapping, fault);
	if (covers(door, &store)) {
		dw_access_end_run_soon(door->mapping->process);
	}
	return VM_FAULT_NOPAGE;
}

/* --- reads --- */

/* Who has the right to write alone may read as well, on this processor. */
static vm_fault_t map_memory(struct dw_door *door, struct vm_fault *fault)
{
	struct vm_area_struct *vma = fault->vma;
	vm_fault_t result;

	refresh(door->shadow);
	dw_access_note(door->mapping, fault);
	result = vmf_insert_pfn_prot(
		vma, door->page, page_to_pfn(door->shadow->page),
		vm_get_page_prot((vma->vm_flags | VM_READ) & ~VM_WRITE));
	if (test_bit(DW_DOOR_REVOKED, &door->state)) {
		dw_zap(vma, door->page, PAGE_SIZE); /* it was not there when he took it */
	}
	return result;
}

vm_fault_t dw_shadow_fault(struct dw_door *door, struct vm_fault *fault)
{
	if (!dw_mapping_is_users(fault)) {
		dw_count(refused);
		return VM_FAULT_SIGBUS;
	}
	return fault->flags & FAULT_FLAG_WRITE ? forward_store(door, fault)
					       : map_memory(door, fault);
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
