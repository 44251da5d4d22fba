// SPDX-License-Identifier: GPL-2.0
#include "watch/state/doorbells.h"

#include <linux/fs.h>
#include <linux/hash.h>
#include <linux/module.h>
#include <linux/pci.h>
#include <linux/slab.h>

#define RANGES 256

static char *pages = "";
module_param_named(doorbell, pages, charp, 0400);
MODULE_PARM_DESC(doorbell,
		 "physical pages with a doorbell: PHYS:BYTES[,PHYS:BYTES...]; not "
		 "needed for NVIDIA GPUs, which are found by PCI");

static unsigned long doorbell_offset = 0x90;
module_param(doorbell_offset, ulong, 0444);
MODULE_PARM_DESC(doorbell_offset,
		 "offset of the doorbell register in its page (default 0x90)");

/* Page frames [begin, end) that hold doorbells; constant once the module is loaded. */
static struct {
	unsigned long begin;
	unsigned long end;
} ranges[RANGES];
static unsigned int n_ranges;

/*
 * Open doorbells, hashed by mm so that the doorbells of one program do not slow down
 * searches for those of another. doorbells_lock is a spinlock, because it is also taken in
 * tracepoints, where preemption is off.
 */
#define DOORBELLS_BITS 10
static struct list_head doorbells[1 << DOORBELLS_BITS]; /* oldest first */
static DEFINE_SPINLOCK(doorbells_lock);

/* --- pages with a doorbell --- */

static int add(u64 physical, u64 bytes)
{
	if (n_ranges == RANGES || !bytes || physical % PAGE_SIZE) {
		return -EINVAL;
	}
	ranges[n_ranges].begin = physical >> PAGE_SHIFT;
	ranges[n_ranges].end = (physical + bytes + PAGE_SIZE - 1) >> PAGE_SHIFT;
	n_ranges++;
	return 0;
}

static int parse(void)
{
	char *copy = kstrdup(pages, GFP_KERNEL);
	char *rest = copy;
	char *range;
	int error = 0;

	if (!copy) {
		return -ENOMEM;
	}
	while (!error && (range = strsep(&rest, ",")) != NULL) {
		char *bytes;
		u64 physical;
		u64 n;

		range = strim(range);
		if (!*range) {
			continue;
		}
		bytes = range;
		strsep(&bytes, ":");
		error = !bytes || kstrtou64(range, 0, &physical) || kstrtou64(bytes, 0, &n)
				? -EINVAL
				: add(physical, n);
		if (error) {
			pr_err("parameter doorbell: '%s' is not a page-aligned PHYS:BYTES, "
			       "or there are more than %d ranges\n",
			       range, RANGES);
		}
	}
	kfree(copy);
	return error;
}

/*
 * Offsets in BAR 0 of the usermode region, whose first page holds the doorbell: 0x810000 on
 * Volta (NVC361), 0xb80000 + 0x30000 from Turing on (NV_VIRTUAL_FUNCTION_FULL_PHYS_OFFSET),
 * 0x30000 in a virtual function. Source: NVIDIA's open-gpu-kernel-modules (MIT), clc361.h,
 * turing/tu102/dev_vm.h, gpuGetVirtRegPhysOffset_TU102(). Hopper can also map the region
 * through BAR 1, at no fixed offset; such a mapping is recognised by the object's class.
 */
static const u64 usermode_regions[] = {0x810000, 0xbb0000, 0x30000};

int dw_doorbell_init(void)
{
	int error = parse();
#ifdef CONFIG_PCI
	struct pci_dev *device = NULL;
#endif

	if (error) {
		return error;
	}
	for (size_t i = 0; i < ARRAY_SIZE(doorbells); i++) {
		INIT_LIST_HEAD(&doorbells[i]);
	}
	if (doorbell_offset % 4 || doorbell_offset >= PAGE_SIZE) {
		pr_err("parameter doorbell_offset: 0x%lx is not a multiple of 4 below the "
		       "page size\n",
		       doorbell_offset);
		return -EINVAL;
	}
#ifdef CONFIG_PCI
	while ((device = pci_get_device(PCI_VENDOR_ID_NVIDIA, PCI_ANY_ID, device))) {
		u64 bar = pci_resource_start(device, 0);

		if (device->class >> 16 != PCI_BASE_CLASS_DISPLAY || !bar) {
			continue;
		}
		for (size_t i = 0; i < ARRAY_SIZE(usermode_regions); i++) {
			if (usermode_regions[i] < pci_resource_len(device, 0) &&
			    add(bar + usermode_regions[i], PAGE_SIZE)) {
				pci_warn(device,
					 "more than %d doorbell pages: those of this GPU "
					 "are recognised only by their objects' class\n",
					 RANGES);
			}
		}
	}
#endif
	return 0;
}

/* --- queries --- */

unsigned long dw_doorbell_offset(void)
{
	return doorbell_offset;
}

bool dw_doorbell_is_any(void)
{
	return n_ranges > 0;
}

bool dw_doorbell_is_page(unsigned long pfn)
{
	for (unsigned int i = 0; i < n_ranges; i++) {
		if (pfn >= ranges[i].begin && pfn < ranges[i].end) {
			return true;
		}
	}
	return false;
}

static bool is_there(struct vm_area_struct *vma, unsigned long address)
{
	unsigned long pfn;

	return address >= vma->vm_start && address < vma->vm_end &&
	       dw_mapping_pfn(vma, address, &pfn) == 0 && dw_doorbell_is_page(pfn);
}

unsigned long dw_doorbell_find(struct dw_mapping *mapping, struct vm_area_struct *vma)
{
	unsigned long end =
		min(vma->vm_end, vma->vm_start + DW_PAGES_INSPECTED * PAGE_SIZE);
	const struct module *driver = vma->vm_file ? vma->vm_file->f_op->owner : NULL;
	unsigned long pfn;
	bool is_mapped;

	/* Stores to a private mapping never reach the device. */
	if (!(vma->vm_flags & VM_SHARED)) {
		return 0;
	}
	if (mapping->memory.class_ && strcmp(mapping->memory.space, "reg") == 0) {
		/*
		 * The class comes from the program's memory and may be false, so the
		 * mapping is verified: registers are mapped by page frame number
		 * (VM_PFNMAP), and NVIDIA's driver maps no registers that are in RAM.
		 */
		if (mapping->memory.offset != 0 ||
		    (vma->vm_flags & (VM_PFNMAP | VM_MIXEDMAP)) != VM_PFNMAP) {
			return 0;
		}
		return !driver || strcmp(driver->name, "nvidia") != 0 ||
				       dw_mapping_pfn(vma, vma->vm_start, &pfn) ||
				       !page_is_ram(pfn)
			       ? vma->vm_start
			       : 0;
	}
	if (!n_ranges) {
		return 0;
	}
	/*
	 * If the VMA's pages are contiguous, the doorbell's address follows from the first
	 * page frame; is_there() verifies the address.
	 */
	is_mapped = dw_mapping_pfn(vma, vma->vm_start, &pfn) == 0;
	for (unsigned int i = 0; is_mapped && i < n_ranges; i++) {
		unsigned long from = max(ranges[i].begin, pfn);
		unsigned long address = vma->vm_start + ((from - pfn) << PAGE_SHIFT);

		if (from < ranges[i].end && is_there(vma, address)) {
			return address;
		}
	}
	for (unsigned long address = vma->vm_start; address < end; address += PAGE_SIZE) {
		if (is_there(vma, address)) {
			return address;
		}
	}
	return 0;
}

/* --- open doorbells --- */

/* Returns the list that holds an mm's doorbells, and possibly those of other mms. */
static struct list_head *doorbells_of(const struct mm_struct *mm)
{
	return &doorbells[hash_ptr(mm, DOORBELLS_BITS)];
}

void dw_doorbell_open(struct dw_doorbell *doorbell)
{
	spin_lock(&doorbells_lock);
	list_add_tail(&doorbell->of_mm, doorbells_of(doorbell->mapping->mm));
	spin_unlock(&doorbells_lock);
}

void dw_doorbell_end(struct dw_doorbell *doorbell)
{
	spin_lock(&doorbells_lock);
	list_del_init(&doorbell->of_mm);
	spin_unlock(&doorbells_lock);
}

size_t dw_doorbells_of_current(struct dw_doorbell **out, size_t capacity, size_t skip)
{
	struct dw_doorbell *doorbell;
	size_t n = 0;

	spin_lock(&doorbells_lock);
	list_for_each_entry(doorbell, doorbells_of(current->mm), of_mm) {
		if (n == capacity) {
			break;
		}
		if (doorbell->mapping->mm != current->mm) {
			continue;
		}
		if (skip) {
			skip--;
		} else if (kref_get_unless_zero(&doorbell->mapping->references)) {
			out[n++] = doorbell;
		}
	}
	spin_unlock(&doorbells_lock);
	return n;
}

bool dw_doorbells_any_real(const struct mm_struct *mm)
{
	const struct dw_doorbell *doorbell;
	bool found = false;

	spin_lock(&doorbells_lock);
	list_for_each_entry(doorbell, doorbells_of(mm), of_mm) {
		if (doorbell->mapping->mm == mm &&
		    test_bit(DW_DOORBELL_REAL, &doorbell->state)) {
			found = true;
			break;
		}
	}
	spin_unlock(&doorbells_lock);
	return found;
}
