// SPDX-License-Identifier: GPL-2.0
/*
 * The device /dev/gpusim (gpusim-bare.h): ordinary memory that is mapped like a device's,
 * and a thread that polls it.
 */
#include <linux/delay.h>
#include <linux/io.h>
#include <linux/kthread.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/pagemap.h>
#include <linux/uaccess.h>

#include "gpusim.h"
#include "tests/kernel/qemu/device-node.h"

#define NAME "gpusim"

static bool lazy;
module_param(lazy, bool, 0644);
MODULE_PARM_DESC(lazy, "pages are mapped when they are touched, not by mmap");

static bool sleeps;
module_param(sleeps, bool, 0644);
MODULE_PARM_DESC(sleeps,
		 "pages are mapped by mmap, and when they are touched after a sleep");
static bool whole;
module_param(whole, bool, 0644);
MODULE_PARM_DESC(whole, "with lazy: the first touch maps all pages of the mapping");

static bool mixed;
module_param(mixed, bool, 0644);
MODULE_PARM_DESC(mixed, "rings are mapped page by page, and their pages count mappings");

static int show_physical(char *buffer, const struct kernel_param *parameter)
{
	return sysfs_emit(buffer, "0x%llx\n", gpusim_doorbells());
}

static const struct kernel_param_ops physical_ops = {.get = show_physical};
module_param_cb(physical, &physical_ops, NULL, 0444);
MODULE_PARM_DESC(physical, "(read only) physical address of the doorbell pages");

static u8 *doorbells;                     /* BARE_PAGES pages */
static u8 *rings;                         /* BARE_CHANNELS pages */
static struct task_struct *device_thread; /* the device's thread */
static int major;
static struct class *class;
static DEFINE_MUTEX(lock); /* protects the variables below, and `get` of the rings */
static enum { AWAKE, DOZES, ASLEEP } power; /* DOZES: no page mapped, but works */
static bool is_called;                      /* a wake-up is requested */
static struct bare_state state;
static atomic_t faults;
static atomic_t users; /* number of open files; at 0 the device polls rarely */
static void (*observer)(struct bare_state *state);
/* belongs to the device's node, which owns it; contains all the device's mappings */
static struct address_space *everybody;

/* --- the device --- */

struct bare_ring *gpusim_ring(unsigned int channel)
{
	return (struct bare_ring *)(rings + channel * PAGE_SIZE);
}
EXPORT_SYMBOL_GPL(gpusim_ring);

u64 gpusim_doorbells(void)
{
	return doorbells ? virt_to_phys(doorbells) : 0;
}
EXPORT_SYMBOL_GPL(gpusim_doorbells);

void gpusim_set_observer(void (*observe)(struct bare_state *state))
{
	mutex_lock(&lock);
	observer = observe;
	mutex_unlock(&lock);
}
EXPORT_SYMBOL_GPL(gpusim_set_observer);

/*
 * Takes the entries of all rings, because `word` may have overwritten another channel's
 * token.
 */
static void kick(u32 word)
{
	unsigned int i;

	state.kicks++;
	state.last = word;
	for (i = 0; i < BARE_CHANNELS; i++) {
		struct bare_ring *ring = gpusim_ring(i);
		u32 put = smp_load_acquire(&ring->put) % BARE_ENTRIES;
		u32 get = ring->get % BARE_ENTRIES;

		while (get != put) {
			ring->sum += ring->entries[get];
			ring->taken++;
			get = (get + 1) % BARE_ENTRIES;
		}
		smp_store_release(&ring->get, get);
	}
	if (word & 8) {
		struct bare_ring *ring = gpusim_ring(word & 7);

		ring->kicks++;
		smp_store_release(&ring->last, word);
	} else {
		state.strange++;
	}
}

/*
 * Takes the words of all doorbells and updates the clocks. Returns false if no doorbell
 * held a word.
 */
static bool take_words(u64 now)
{
	bool found = false;
	unsigned int i;

	for (i = 0; i < BARE_PAGES; i++) {
		u8 *page = doorbells + i * PAGE_SIZE;
		u32 word = xchg((u32 *)(page + BARE_DOORBELL), 0);

		WRITE_ONCE(*(u32 *)(page + BARE_TIMER_LOW), lower_32_bits(now));
		WRITE_ONCE(*(u32 *)(page + BARE_TIMER_HIGH), upper_32_bits(now));
		if (word && power == ASLEEP) {
			state.asleep++;
		} else if (word) {
			kick(word);
			found = true;
		}
	}
	return found;
}

/* Unmaps all pages, so that the next access faults and requests a wake-up. */
static void fall_asleep(void)
{
	mutex_lock(&lock);
	power = DOZES;
	is_called = false;
	mutex_unlock(&lock);
	if (everybody) {
		unmap_mapping_range(everybody, 0, 0, 1);
	}
	mutex_lock(&lock);
	take_words(~0ull);
	power = ASLEEP;
	mutex_unlock(&lock);
}

static int run_device(void *data)
{
	unsigned int idle = 0;
	bool found;

	while (!kthread_should_stop()) {
		mutex_lock(&lock);
		found = take_words(power == ASLEEP ? ~0ull : ktime_get_ns());
		if (is_called) {
			is_called = false;
			power = AWAKE;
			state.wakes++;
			take_words(ktime_get_ns());
		}
		mutex_unlock(&lock);
		idle = found ? 0 : idle + 1;
		if (!atomic_read(&users)) {
			schedule_timeout_interruptible(HZ / 20);
		} else if (idle < 50) {
			usleep_range(50, 100);
		} else {
			usleep_range(500, 1000);
		}
	}
	return 0;
}

/* --- files --- */

static vm_fault_t map_page(struct vm_area_struct *vma, unsigned long address)
{
	pgoff_t page = linear_page_index(vma, address);
	void *at = page < BARE_PAGES ? doorbells + page * PAGE_SIZE
				     : rings + (page - BARE_PAGES) * PAGE_SIZE;

	if (page >= BARE_PAGES + BARE_CHANNELS) {
		return VM_FAULT_SIGBUS;
	}
	atomic_inc(&faults);
	return vmf_insert_pfn(vma, address, virt_to_phys(at) >> PAGE_SHIFT);
}

/* Wakes a sleeping device; the access faults again until the device is awake. */
static vm_fault_t map_pages_awake(struct vm_fault *fault)
{
	struct vm_area_struct *vma = fault->vma;
	unsigned long first = whole ? vma->vm_start : fault->address;
	unsigned long end = whole ? vma->vm_end : fault->address + PAGE_SIZE;
	vm_fault_t result = VM_FAULT_NOPAGE;
	unsigned long address;

	mutex_lock(&lock);
	if (power == AWAKE) {
		for (address = first; result == VM_FAULT_NOPAGE && address < end;
		     address += PAGE_SIZE) {
			result = map_page(vma, address);
		}
	} else {
		is_called = is_called || power == ASLEEP;
	}
	mutex_unlock(&lock);
	if (power != AWAKE) {
		wake_up_process(device_thread);
	}
	return result;
}

static vm_fault_t map_some_ring(struct vm_fault *fault)
{
	void *at = rings + fault->pgoff % BARE_CHANNELS * PAGE_SIZE;

	return vmf_insert_pfn(fault->vma, fault->address, virt_to_phys(at) >> PAGE_SHIFT);
}

static const struct vm_operations_struct large_ops = {.fault = map_some_ring};
static const struct vm_operations_struct lazy_ops = {.fault = map_pages_awake};
static const struct vm_operations_struct no_ops;

noinline int gpusim_mmap(struct file *file, struct vm_area_struct *vma)
{
	unsigned long page = vma->vm_pgoff;
	unsigned long n = vma_pages(vma);
	bool doorbell = page < BARE_PAGES;
	unsigned long end = doorbell ? BARE_PAGES : BARE_PAGES + BARE_CHANNELS;
	u8 *at = doorbell ? doorbells + page * PAGE_SIZE
			  : rings + (page - BARE_PAGES) * PAGE_SIZE;

	if (page >= BARE_LARGE && (vma->vm_flags & VM_SHARED)) {
		map_frames(vma);
		vma->vm_ops = &large_ops;
		return 0;
	}
	if (page >= end || n > end - page || !(vma->vm_flags & VM_SHARED)) {
		return -EINVAL;
	}
	everybody = file->f_mapping;
	if (mixed && !doorbell) {
		int error = 0;

		vma->vm_ops = &no_ops;
		for (unsigned long i = 0; !error && i < n; i++) {
			error = vm_insert_page(vma, vma->vm_start + i * PAGE_SIZE,
					       virt_to_page(at + i * PAGE_SIZE));
		}
		return error;
	}
	map_frames(vma);
	if (lazy) {
		vma->vm_ops = &lazy_ops;
		return 0;
	}
	if (sleeps) {
		vma->vm_ops = &lazy_ops;
		if (power != AWAKE) {
			return 0;
		}
	}
	return remap_pfn_range(vma, vma->vm_start, virt_to_phys(at) >> PAGE_SHIFT,
			       n * PAGE_SIZE, vma->vm_page_prot);
}
EXPORT_SYMBOL_GPL(gpusim_mmap);

static long get_state(void __user *to)
{
	struct bare_state now;

	mutex_lock(&lock);
	state.physical = gpusim_doorbells();
	state.faults = atomic_read(&faults);
	if (observer) {
		observer(&state);
	}
	now = state;
	mutex_unlock(&lock);
	return copy_to_user(to, &now, sizeof(now)) ? -EFAULT : 0;
}

static long store(struct bare_store __user *at)
{
	struct bare_store asked;

	if (copy_from_user(&asked, at, sizeof(asked))) {
		return -EFAULT;
	}
	asked.error = -put_user(asked.value, (u32 __user *)(uintptr_t)asked.address);
	return copy_to_user(at, &asked, sizeof(asked)) ? -EFAULT : 0;
}

static long pin(struct bare_pin __user *at)
{
	struct bare_pin asked;
	struct page **pages;
	int locked = 1;

	if (copy_from_user(&asked, at, sizeof(asked))) {
		return -EFAULT;
	}
	if (!asked.pages || asked.pages > 1024) {
		return -EINVAL;
	}
	pages = kcalloc(asked.pages, sizeof(*pages), GFP_KERNEL);
	if (!pages) {
		return -ENOMEM;
	}
	/* Among the functions below, only pin_user_pages_fast() accepts FOLL_LONGTERM. */
	switch (asked.how) {
	case BARE_PIN_FAST:
		asked.result = pin_user_pages_fast(asked.address, asked.pages,
						   FOLL_WRITE | FOLL_LONGTERM, pages);
		break;
	case BARE_PIN_UNLOCKED:
		asked.result = pin_user_pages_unlocked(asked.address, asked.pages, pages,
						       FOLL_WRITE);
		break;
	case BARE_PIN_REMOTE:
		mmap_read_lock(current->mm);
		asked.result =
			pin_user_pages_remote(current->mm, asked.address, asked.pages,
					      FOLL_WRITE, pages NO_VMAS, &locked);
		if (locked) {
			mmap_read_unlock(current->mm);
		}
		break;
	default: asked.result = -EINVAL; break;
	}
	if (asked.result > 0) {
		unpin_user_pages(pages, asked.result);
	}
	kfree(pages);
	return copy_to_user(at, &asked, sizeof(asked)) ? -EFAULT : 0;
}

static long get_word(struct bare_word __user *at)
{
	struct bare_word asked;

	if (copy_from_user(&asked, at, sizeof(asked))) {
		return -EFAULT;
	}
	if (asked.offset % 4 || asked.offset >= PAGE_SIZE) {
		return -EINVAL;
	}
	asked.value = READ_ONCE(*(u32 *)(doorbells + asked.offset));
	return copy_to_user(at, &asked, sizeof(asked)) ? -EFAULT : 0;
}

static long bare_ioctl(struct file *file, unsigned int request, unsigned long argument)
{
	void __user *at = (void __user *)argument;

	switch (request) {
	case BARE_STATE: return get_state(at);
	case BARE_STORE: return store(at);
	case BARE_PIN: return pin(at);
	case BARE_WORD: return get_word(at);
	case BARE_TRAP: return gpusim_trap(at);
	case BARE_WAIT: return msleep_interruptible(argument) ? -EINTR : 0;
	case BARE_REVOKE:
		if (lazy && everybody) {
			unmap_mapping_range(everybody, 0, 0, 1);
		}
		return lazy ? 0 : -EINVAL;
	case BARE_SLEEP:
		if (lazy || sleeps) {
			fall_asleep();
		}
		return lazy || sleeps ? 0 : -EINVAL;
	default: return -ENOTTY;
	}
}

/* Empties the rings for the first opener: `put` keeps its value, and `get` is set to it. */
static int bare_open(struct inode *inode, struct file *file)
{
	unsigned int i;

	mutex_lock(&lock);
	if (atomic_inc_return(&users) == 1) {
		for (i = 0; i < BARE_CHANNELS; i++) {
			struct bare_ring *ring = gpusim_ring(i);

			ring->get = ring->put;
			ring->last = ring->kicks = 0;
			ring->taken = ring->sum = 0;
		}
	}
	mutex_unlock(&lock);
	wake_up_process(device_thread);
	return 0;
}

static int bare_release(struct inode *inode, struct file *file)
{
	if (atomic_dec_and_test(&users)) {
		everybody = NULL;
		mutex_lock(&lock);
		is_called = power != AWAKE;
		mutex_unlock(&lock);
	}
	return 0;
}

static const struct file_operations files = {
	.owner = THIS_MODULE,
	.open = bare_open,
	.release = bare_release,
	.mmap = gpusim_mmap,
	.unlocked_ioctl = bare_ioctl,
};

/* --- init and exit --- */

int gpusim_bare_init(void)
{
	int error = -ENOMEM;

	doorbells = alloc_pages_exact(BARE_PAGES * PAGE_SIZE, GFP_KERNEL | __GFP_ZERO);
	rings = alloc_pages_exact(BARE_CHANNELS * PAGE_SIZE, GFP_KERNEL | __GFP_ZERO);
	if (!doorbells || !rings) {
		goto no_pages;
	}
	device_thread = kthread_run(run_device, NULL, "gpusim");
	if (IS_ERR(device_thread)) {
		error = PTR_ERR(device_thread);
		goto no_pages;
	}
	major = register_chrdev(0, NAME, &files);
	if (major < 0) {
		error = major;
		goto no_number;
	}
	class = make_class(NAME);
	error = PTR_ERR_OR_ZERO(class);
	if (error) {
		goto no_class;
	}
	error = make_device_node(class, MKDEV(major, 0), NAME);
	if (!error) {
		return 0;
	}
	class_destroy(class);
no_class:
	unregister_chrdev(major, NAME);
no_number:
	kthread_stop(device_thread);
no_pages:
	if (doorbells) {
		free_pages_exact(doorbells, BARE_PAGES * PAGE_SIZE);
	}
	if (rings) {
		free_pages_exact(rings, BARE_CHANNELS * PAGE_SIZE);
	}
	return error;
}

void gpusim_bare_exit(void)
{
	device_destroy(class, MKDEV(major, 0));
	class_destroy(class);
	unregister_chrdev(major, NAME);
	kthread_stop(device_thread);
	free_pages_exact(doorbells, BARE_PAGES * PAGE_SIZE);
	free_pages_exact(rings, BARE_CHANNELS * PAGE_SIZE);
}
