// SPDX-License-Identifier: GPL-2.0
#include "watch/shadow.h"

#include <linux/bit_spinlock.h>
#include <linux/irqflags.h>
#include <linux/io.h>
#include <linux/list.h>
#include <linux/mmu_notifier.h>
#include <linux/moduleparam.h>
#include <linux/mutex.h>
#include <linux/sched/mm.h>
#include <linux/sched/task_stack.h>
#include <linux/slab.h>
#include <linux/workqueue.h>

#include "watch/counters.h"
#include "watch/deferred.h"
#include "watch/door.h"
#include "watch/mapping.h"
#include "watch/trace.h"
#include "watch/watch.h"
#include "watch/watchpoint.h"
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
		 "shadow: how often, beside each fault, and stores without a trap "
		 "are looked for; 0: at faults alone, and they are not (10)");

/* So often a value must have been seen in the doorbell's word to be taken for lost. */
#define LOOKS 10

/*
 * In the doorbell's word: nothing has been stored since. 0 will not do, it may be a
 * channel's token; one with all bits set is not (NVIDIA's: a runlist's number of 7 bits
 * above a channel's).
 */
#define NOTHING 0xffffffffu

/* Different values that wait while the device sleeps: more than threads store at a time. */
#define WAITING 64

/* So long after a try the device is asked again to wake up, in ms. */
#define PATIENCE 5

struct dw_shadow {
	struct list_head list; /* of all, until it has ended */
	struct dw_door *door;  /* whose it is */
	struct page *page;     /* Owned by this */
	u32 *memory;           /* the same */
	u32 seen;              /* what the doorbell's word held at the last looks */
	unsigned int looks;    /* so many */
	unsigned long locked;  /* bit 0: the lock of what follows, and of the device's page.
				* Not a spinlock: lockdep takes a trap of the kernel's for an
				* NMI, where there must be none */
	bool ended;            /* the device's page is not ours to touch any more */
	unsigned int revokes;  /* how often the driver has taken its pages away */
	u32 waiting[WAITING];  /* to be forwarded when the device is awake */
	unsigned int n_waiting;
	void *real;     /* the device's page, in kernel space */
	bool is_memory; /* so it is memory, too (a test device's) */
	struct mmu_interval_notifier notifier;
	const struct task_struct *waker; /* who touches the page for those that wait */
	struct delayed_work waking;      /* under way it has a reference to the mapping */
};

static LIST_HEAD(shadows);
static DEFINE_MUTEX(lock); /* of `shadows`; taken within mmap_lock */

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

static void write_real(struct dw_shadow *shadow, u32 value)
{
	u32 *word = shadow->real + dw_door_offset();

	if (shadow->is_memory) {
		smp_store_release(word, value);
	} else {
		writel(value, (void __iomem __force *)word);
	}
}

/* The driver has not taken its pages away, nor been told that the VMA goes. */
static bool is_awake(const struct dw_shadow *shadow)
{
	return !shadow->ended && !test_bit(DW_DOOR_REVOKED, &shadow->door->state);
}

static unsigned long lock_shadow(struct dw_shadow *shadow)
{
	unsigned long flags;

	local_irq_save(flags);
	bit_spin_lock(0, &shadow->locked);
	return flags;
}

static void unlock_shadow(struct dw_shadow *shadow, unsigned long flags)
{
	bit_spin_unlock(0, &shadow->locked);
	local_irq_restore(flags);
}

unsigned long dw_shadow_lock(struct dw_door *door)
{
	return lock_shadow(door->shadow);
}

void dw_shadow_unlock(struct dw_door *door, unsigned long flags)
{
	unlock_shadow(door->shadow, flags);
}

/* --- values on their way --- */

/* The same value twice is one to the device. */
static void keep(struct dw_shadow *shadow, u32 value)
{
	for (unsigned int i = 0; i < shadow->n_waiting; i++) {
		if (shadow->waiting[i] == value) {
			return;
		}
	}
	if (shadow->n_waiting < WAITING) {
		shadow->waiting[shadow->n_waiting++] = value;
	} else {
		pr_warn_once("more than %d values wait for a device that sleeps\n",
			     WAITING);
	}
}

static void pass_on(struct dw_shadow *shadow, u32 value)
{
	if (is_awake(shadow)) {
		write_real(shadow, value);
	} else if (!shadow->ended) {
		keep(shadow, value);
	}
}

/*
 * The word in memory is NOTHING again, unless another thread has stored there meanwhile:
 * what stands there for long has not been forwarded.
 */
void dw_shadow_forward(struct dw_door *door, u32 value)
{
	pass_on(door->shadow, value);
	cmpxchg(doorbell_word(door->shadow), value, NOTHING);
}

bool dw_shadow_word(struct dw_door *door, u32 *value)
{
	u32 word = READ_ONCE(*doorbell_word(door->shadow));

	if (word != NOTHING) {
		*value = word;
	}
	return word != NOTHING;
}

/* Of whichever thread: its number is 0. After the process's last event there is none. */
static void report_rescued(const struct dw_door *door, u32 value)
{
	struct dw_mapping *mapping = door->mapping;
	struct dw_process *process = mapping->process;
	struct kt_event_doorbell event = {
		.by = "shadow",
		.space = "reg",
		.mapping = mapping->ordinal,
		.offset = door->at - mapping->base,
		.known = 1,
		.value = value,
	};
	struct kt_event_head head;

	if (!test_bit(DW_PROCESS_ENDED, &process->flags)) {
		atomic64_inc(&process->doorbells);
		head = dw_process_head(process);
		head.tid = 0;
		trace_gpu_stack_doorbell(&head, &event);
	}
}

/*
 * A store that has not trapped: that of a task which is not watched (a kernel thread that
 * has borrowed the mm), or QEMU's: 7.2 misses some of the locked instructions. It
 * is late, but not lost.
 */
static void rescue(struct dw_shadow *shadow)
{
	unsigned long flags = lock_shadow(shadow);
	u32 word;

	if (dw_shadow_word(shadow->door, &word)) {
		dw_count(rescued);
		report_rescued(shadow->door, word);
		dw_shadow_forward(shadow->door, word);
	}
	unlock_shadow(shadow, flags);
}

/* Not at once: the handler of that store may be about to come to it. */
static void look_for_lost(struct dw_shadow *shadow)
{
	u32 word = READ_ONCE(*doorbell_word(shadow));

	shadow->looks = word != NOTHING && word == shadow->seen ? shadow->looks + 1 : 0;
	shadow->seen = word;
	if (shadow->looks >= LOOKS) {
		rescue(shadow);
		shadow->looks = 0;
	}
}

/* --- a device that sleeps --- */

/*
 * A driver takes its pages away before the device sleeps, and its fault handler wakes the
 * device: until that one has been asked nothing of the device is touched. The stores of
 * before have been seen to, since their pages are flushed after this; where a hypervisor
 * flushes without an interrupt one may still come, and waits.
 */
static bool revoked(struct mmu_interval_notifier *notifier,
		    const struct mmu_notifier_range *range, unsigned long sequence)
{
	struct dw_shadow *shadow = container_of(notifier, struct dw_shadow, notifier);
	bool is_revoke = range->event == MMU_NOTIFY_CLEAR && !dw_zap_is_ours();
	unsigned long flags = lock_shadow(shadow);

	mmu_interval_set_seq(notifier, sequence);
	if (is_revoke) {
		shadow->revokes++;
		set_bit(DW_DOOR_REVOKED, &shadow->door->state);
	}
	unlock_shadow(shadow, flags);
	return true;
}

static const struct mmu_interval_notifier_ops notifier_ops = {.invalidate = revoked};

/*
 * The driver has mapped its page, after so many revokes. false: it has taken it away again.
 */
static bool has_come_back(struct dw_shadow *shadow, unsigned int revokes)
{
	struct dw_door *door = shadow->door;
	unsigned long flags = lock_shadow(shadow);
	bool is_back = shadow->revokes == revokes;

	if (is_back) {
		clear_bit(DW_DOOR_REVOKED, &door->state);
		for (unsigned int i = 0; !shadow->ended && i < shadow->n_waiting; i++) {
			write_real(shadow, shadow->waiting[i]);
		}
		shadow->n_waiting = 0;
	}
	unlock_shadow(shadow, flags);
	return is_back;
}

static void forget_waiting(struct dw_shadow *shadow)
{
	unsigned long flags = lock_shadow(shadow);

	if (shadow->n_waiting) {
		pr_warn_once(
			"a device that slept has got another place: %u values for it are "
			"lost\n",
			shadow->n_waiting);
	}
	shadow->n_waiting = 0;
	unlock_shadow(shadow, flags);
}

/* A revoke that is under way is waited for: it is one of those, and its pages are gone. */
static unsigned int count_revokes(struct dw_shadow *shadow)
{
	mmu_interval_read_begin(&shadow->notifier);
	return READ_ONCE(shadow->revokes);
}

/*
 * What the driver's handler has mapped: the page, once the device is awake. Another thread
 * may have been here before. A store of another thread that reaches the page before it is
 * taken away is forwarded all the same: that is one kick more.
 */
static vm_fault_t look_at_page(struct dw_shadow *shadow, struct vm_area_struct *vma,
			       unsigned int revokes)
{
	struct dw_door *door = shadow->door;
	vm_fault_t result = VM_FAULT_NOPAGE;
	unsigned long pfn;

	if (dw_mapping_pfn(vma, door->page, &pfn)) {
		return result;
	}
	if (pfn == door->pfn) {
		result = has_come_back(shadow, revokes) ? 0 : VM_FAULT_NOPAGE;
	} else if (pfn != page_to_pfn(shadow->page)) {
		/* The device has another place now: what we know is of no use. */
		set_bit(DW_DOOR_REAL, &door->state);
		clear_bit(DW_DOOR_SHADOW, &door->state);
		forget_waiting(shadow);
		return result;
	}
	if (door->mapping->access) {
		/* Of the others that it has mapped nothing has been seen. */
		dw_zap(vma, vma->vm_start, vma->vm_end - vma->vm_start);
	} else {
		dw_zap(vma, door->page, PAGE_SIZE);
	}
	return result;
}

/*
 * 0: the page of memory may be mapped. While another thread's fault looks at what the
 * driver maps its handler is not asked, and without leave to give mmap_lock away it does
 * not.
 */
static vm_fault_t ask_driver(struct dw_shadow *shadow, struct vm_fault *fault)
{
	struct dw_mapping *mapping = shadow->door->mapping;
	unsigned int flags = fault->flags;
	unsigned int revokes;
	vm_fault_t result;

	if (!mapping->inner->fault) {
		return VM_FAULT_SIGBUS;
	}
	mutex_lock(&mapping->filling);
	revokes = count_revokes(shadow);
	fault->flags &= ~FAULT_FLAG_ALLOW_RETRY;
	result = mapping->inner->fault(fault);
	fault->flags = flags;
	if (!(result & NOT_MAPPED)) {
		result = look_at_page(shadow, fault->vma, revokes);
	}
	mutex_unlock(&mapping->filling);
	return result;
}

/* The page is touched as a thread of the process would. */
static void wake(struct dw_shadow *shadow)
{
	struct dw_door *door = shadow->door;
	struct mm_struct *mm = door->mapping->mm;
	struct vm_area_struct *vma;
	unsigned int revokes;
	unsigned long pfn;
	bool unlocked = false;

	if (cmpxchg(&shadow->waker, NULL, current)) {
		return;
	}
	revokes = count_revokes(shadow);
	mmap_read_lock(mm);
	vma = dw_mapping_vma(door->mapping, door->page);
	if (vma && door->mapping->inner->fault &&
	    !fixup_user_fault(mm, door->page,
			      FAULT_FLAG_REMOTE |
				      (vma->vm_flags & VM_WRITE ? FAULT_FLAG_WRITE : 0),
			      &unlocked)) {
		vma = dw_mapping_vma(door->mapping, door->page);
		/* Else dw_shadow_fault() has seen to it. */
		if (vma && !test_bit(DW_DOOR_SHADOW, &door->state) &&
		    !dw_mapping_pfn(vma, door->page, &pfn) && pfn == door->pfn) {
			has_come_back(shadow, revokes);
		}
	}
	mmap_read_unlock(mm);
	WRITE_ONCE(shadow->waker, NULL);
}

static bool waits(const struct dw_shadow *shadow)
{
	return READ_ONCE(shadow->n_waiting) && !READ_ONCE(shadow->ended) &&
	       shadow->door->mapping->inner->fault;
}

/* The process may be gone, and the system about to sleep: tasks are frozen then. */
static void wake_soon(struct dw_shadow *shadow, unsigned int ms)
{
	if (!kref_get_unless_zero(&shadow->door->mapping->references)) {
		return;
	}
	if (!queue_delayed_work(system_freezable_wq, &shadow->waking,
				msecs_to_jiffies(ms))) {
		dw_mapping_put(shadow->door->mapping);
	}
}

static void wake_later(struct work_struct *work)
{
	struct dw_shadow *shadow =
		container_of(to_delayed_work(work), struct dw_shadow, waking);
	struct dw_mapping *mapping = shadow->door->mapping;

	if (waits(shadow) && mmget_not_zero(mapping->mm)) {
		wake(shadow);
		mmput(mapping->mm);
	}
	if (waits(shadow)) {
		wake_soon(shadow, PATIENCE);
	}
	dw_mapping_put(mapping);
}

/* --- looking now and then --- */

static void refresh(struct dw_shadow *shadow)
{
	unsigned long flags = lock_shadow(shadow);

	for (unsigned int i = 0; is_awake(shadow) && i < refresh_bytes; i += 4) {
		unsigned int offset = refresh_offset + i;

		if (offset != dw_door_offset()) {
			WRITE_ONCE(shadow->memory[offset / 4], read_real(shadow, offset));
		}
	}
	unlock_shadow(shadow, flags);
}

static void look_at_all(struct work_struct *work);
static DECLARE_DELAYED_WORK(looking, look_at_all);

static void look_again(void)
{
	queue_delayed_work(system_freezable_wq, &looking, msecs_to_jiffies(refresh_ms));
}

/* Registers that are read are made fresh, stores without a trap are forwarded. */
static void look_at_all(struct work_struct *work)
{
	struct dw_shadow *shadow;

	mutex_lock(&lock);
	list_for_each_entry(shadow, &shadows, list) {
		if (waits(shadow)) {
			wake_soon(shadow, 0);
		}
		if (test_bit(DW_DOOR_SHADOW, &shadow->door->state)) {
			look_for_lost(shadow);
			refresh(shadow);
		}
	}
	if (!list_empty(&shadows)) {
		look_again();
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
		look_again();
	}
}

/* --- life --- */

static struct dw_shadow *create(struct dw_door *door)
{
	struct dw_shadow *shadow = kzalloc(sizeof(*shadow), GFP_KERNEL_ACCOUNT);

	if (!shadow) {
		return NULL;
	}
	/* Not of high memory, and zeroed: it shows nobody else's. */
	shadow->page = alloc_page(GFP_KERNEL | __GFP_ZERO);
	if (!shadow->page || !map_real(shadow, door->pfn)) {
		if (shadow->page) {
			__free_page(shadow->page);
		}
		kfree(shadow);
		return NULL;
	}
	INIT_LIST_HEAD(&shadow->list);
	INIT_DELAYED_WORK(&shadow->waking, wake_later);
	shadow->memory = page_address(shadow->page);
	*doorbell_word(shadow) = NOTHING;
	shadow->door = door;
	return shadow;
}

static void destroy(struct dw_shadow *shadow)
{
	unmap_real(shadow);
	__free_page(shadow->page);
	kfree(shadow);
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
 * A store that was under way has reached the real page, and its handler has run: zapping
 * has interrupted all CPUs of the process. Where the real page is not mapped the device may
 * sleep, if the driver has a way to wake it.
 */
int dw_shadow_begin(struct dw_door *door, struct vm_area_struct *vma)
{
	unsigned long pfn;

	if (!(vma->vm_flags & VM_PFNMAP) || !(vma->vm_flags & VM_SHARED)) {
		return -EINVAL;
	}
	dw_mapping_lock_vma(vma);
	if (door->mapping->inner->fault &&
	    (dw_mapping_pfn(vma, door->page, &pfn) || pfn != door->pfn)) {
		set_bit(DW_DOOR_REVOKED, &door->state);
	}
	keep_fresh(door->shadow);
	dw_zap(vma, door->page, PAGE_SIZE);
	set_bit(DW_DOOR_SHADOW, &door->state);
	return 0;
}

/* One that the driver has taken away comes by its fault handler, or not at all. */
void dw_shadow_put_real(struct dw_door *door, struct vm_area_struct *vma)
{
	if (!(vma->vm_flags & VM_PFNMAP) || !(vma->vm_flags & VM_SHARED)) {
		return;
	}
	dw_mapping_lock_vma(vma);
	dw_zap(vma, door->page, PAGE_SIZE);
	if (test_and_clear_bit(DW_DOOR_SHADOW, &door->state)) {
		rescue(door->shadow);
	}
	/* Without a shadow we are not told what the driver does. */
	if (test_bit(DW_DOOR_REVOKED, &door->state) ||
	    (!door->shadow && door->mapping->inner->fault)) {
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
	if (test_bit(DW_DOOR_SHADOW, &door->state)) {
		rescue(shadow);
	}
	flags = lock_shadow(shadow);
	shadow->ended = true;
	unlock_shadow(shadow, flags);
}

void dw_shadow_free(struct dw_door *door)
{
	if (door->shadow) {
		dw_shadow_end(door);
		mmu_interval_notifier_remove(&door->shadow->notifier);
		destroy(door->shadow);
	}
}

/* --- accesses --- */

/*
 * Two stores whose values only memory knows may come so close that it knows one of them: so
 * none such is made there, but the door has its real page from then on. 0: the store that
 * is about to be made is none.
 */
static vm_fault_t refuse_untold(struct dw_door *door, const struct vm_fault *fault)
{
	if (!(fault->flags & FAULT_FLAG_WRITE) || !(fault->flags & FAULT_FLAG_USER) ||
	    dw_watchpoint_can_tell(door, task_pt_regs(current))) {
		return 0;
	}
	return dw_watch_leave_shadow_soon(door) ? VM_FAULT_NOPAGE : VM_FAULT_OOM;
}

vm_fault_t dw_shadow_write(struct dw_door *door, struct vm_fault *fault)
{
	if (!(fault->flags & FAULT_FLAG_USER)) {
		dw_count(refused);
		return VM_FAULT_SIGBUS;
	}
	return refuse_untold(door, fault);
}

/* Without the right to write, unless it is a write: each one is looked at before. */
static vm_fault_t map_memory(struct dw_door *door, struct vm_fault *fault)
{
	struct vm_area_struct *vma = fault->vma;
	unsigned long rights = vma->vm_flags;

	if (!(fault->flags & FAULT_FLAG_WRITE)) {
		rights &= ~VM_WRITE;
	}
	return vmf_insert_pfn_prot(vma, door->page, page_to_pfn(door->shadow->page),
				   vm_get_page_prot(rights));
}

vm_fault_t dw_shadow_fault(struct dw_door *door, struct vm_fault *fault)
{
	struct dw_shadow *shadow = door->shadow;
	bool is_waker = READ_ONCE(shadow->waker) == current;
	vm_fault_t result;

	if (!(fault->flags & FAULT_FLAG_USER) && !is_waker) {
		dw_count(refused);
		return VM_FAULT_SIGBUS;
	}
	result = refuse_untold(door, fault);
	if (result) {
		return result;
	}
	if (test_bit(DW_DOOR_REVOKED, &door->state)) {
		if (dw_mapping_needs_mmap_lock(fault, &result)) {
			return result;
		}
		result = ask_driver(shadow, fault);
		if (result) {
			return result;
		}
	}
	if (is_waker) {
		return VM_FAULT_NOPAGE;
	}
	refresh(shadow);
	return map_memory(door, fault);
}

void dw_shadow_close(struct dw_door *door)
{
	struct mm_struct *mm = current->mm;
	struct vm_area_struct *vma;

	mmap_read_lock(mm);
	vma = dw_mapping_vma(door->mapping, door->page);
	if (vma && test_bit(DW_DOOR_SHADOW, &door->state)) {
		dw_zap(vma, door->page, PAGE_SIZE);
	}
	mmap_read_unlock(mm);
	if (waits(door->shadow)) {
		wake(door->shadow);
	}
	if (waits(door->shadow)) {
		wake_soon(door->shadow, PATIENCE);
	}
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
