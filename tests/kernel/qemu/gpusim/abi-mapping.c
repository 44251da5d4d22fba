// SPDX-License-Identifier: GPL-2.0
/*
 * mmap. A mapping of nvidiactl or nvidia0 shows the memory that the preceding request
 * named; a mapping of nvidia-uvm has pages of its own. Mappings are of page frames, as in
 * the driver. Each mapping has references to its pages, which thus outlive the object and,
 * if a child has inherited the mapping, the process.
 */
#include <linux/mm.h>
#include <linux/refcount.h>
#include <linux/slab.h>
#include <linux/xarray.h>

#include "abi.h"
#include "tests/kernel/qemu/device-node.h"

struct abi_mapping {
	refcount_t vmas;
	unsigned long first; /* page offset of the VMA when it was created */
	unsigned long n;     /* pages */
	unsigned long charged;
	bool grows;          /* pages are allocated on first access */
	struct xarray pages; /* the mapping's references to pages */
};

static struct abi_mapping *make(struct vm_area_struct *vma, bool grows)
{
	struct abi_mapping *mapping = kzalloc(sizeof(*mapping), GFP_KERNEL_ACCOUNT);

	if (mapping) {
		refcount_set(&mapping->vmas, 1);
		mapping->first = vma->vm_pgoff;
		mapping->n = vma_pages(vma);
		mapping->grows = grows;
		xa_init(&mapping->pages);
	}
	return mapping;
}

static void put(struct abi_mapping *mapping)
{
	unsigned long index;
	struct page *page;

	if (!refcount_dec_and_test(&mapping->vmas)) {
		return;
	}
	xa_for_each(&mapping->pages, index, page) {
		put_page(page);
		if (mapping->grows) {
			abi_pages_uncharge(1);
		}
		cond_resched();
	}
	abi_pages_uncharge(mapping->charged);
	xa_destroy(&mapping->pages);
	kfree(mapping);
}

static struct page *page_of(struct abi_mapping *mapping, unsigned long offset)
{
	unsigned long index = offset - mapping->first;

	return !mapping->grows || index >= mapping->n ? xa_load(&mapping->pages, index)
						      : abi_page_in(&mapping->pages, index);
}

/* --- vm_operations --- */

static void opened(struct vm_area_struct *vma)
{
	struct abi_mapping *mapping = vma->vm_private_data;

	refcount_inc(&mapping->vmas);
}

static void closed(struct vm_area_struct *vma)
{
	put(vma->vm_private_data);
}

static vm_fault_t fault(struct vm_fault *vmf)
{
	struct page *page = page_of(vmf->vma->vm_private_data, vmf->pgoff);

	return page ? vmf_insert_pfn(vmf->vma, vmf->address, page_to_pfn(page))
		    : VM_FAULT_SIGBUS;
}

/* Serves debuggers, because get_user_pages() refuses mappings of page frames. */
static int access(struct vm_area_struct *vma, unsigned long address, void *data, int length,
		  int write)
{
	unsigned long offset = ((address - vma->vm_start) >> PAGE_SHIFT) + vma->vm_pgoff;
	struct page *page = page_of(vma->vm_private_data, offset);
	int n = min_t(int, length, PAGE_SIZE - offset_in_page(address));
	void *there;

	if (!page) {
		return -EIO;
	}
	there = page_address(page) + offset_in_page(address);
	memcpy(write ? there : data, write ? data : there, n);
	return n;
}

static const struct vm_operations_struct operations = {
	.open = opened,
	.close = closed,
	.fault = fault,
	.access = access,
};

static bool is_private(const struct vm_area_struct *vma)
{
	return (vma->vm_flags & (VM_SHARED | VM_MAYWRITE)) == VM_MAYWRITE;
}

/* --- mmap --- */

static int take_pages(struct abi_mapping *mapping, struct kt_gpu *gpu, u64 physical)
{
	if (!abi_pages_charge(mapping->n)) {
		return -ENOMEM;
	}
	mapping->charged = mapping->n;
	for (unsigned long i = 0; i < mapping->n; i++) {
		struct page *page = abi_page_get(gpu, physical + (i << PAGE_SHIFT));
		int error;

		if (!page) {
			return -ENOMEM;
		}
		error = xa_err(xa_store(&mapping->pages, i, page, GFP_KERNEL_ACCOUNT));
		if (error) {
			put_page(page);
			return error;
		}
		cond_resched();
	}
	return 0;
}

/* Maps all pages at once, as the driver does. */
static int fill(struct vm_area_struct *vma, struct abi_mapping *mapping)
{
	unsigned long index;
	struct page *page;

	xa_for_each(&mapping->pages, index, page) {
		vm_fault_t result = vmf_insert_pfn(
			vma, vma->vm_start + (index << PAGE_SHIFT), page_to_pfn(page));

		if (result != VM_FAULT_NOPAGE) {
			return -ENOMEM;
		}
	}
	return 0;
}

static bool may_map(struct abi_file *file, const struct vm_area_struct *vma)
{
	return file->process->mm == vma->vm_mm;
}

int gpusim_nvidia_mmap(struct file *opened_file, struct vm_area_struct *vma)
{
	struct abi_file *file = opened_file->private_data;
	struct kt_kmd_file state = abi_file_read(file);
	struct abi_mapping *mapping;
	int error;

	if (!may_map(file, vma)) {
		return -ENODEV;
	}
	if (!state.pending || vma->vm_pgoff != 0 || is_private(vma) ||
	    vma->vm_end - vma->vm_start > state.bytes) {
		return -EINVAL;
	}
	mapping = make(vma, false);
	if (!mapping) {
		return -ENOMEM;
	}
	map_frames(vma);
	error = take_pages(mapping, file->process->kmd->gpu, state.physical);
	error = error ? error : fill(vma, mapping);
	if (error) {
		/* Other threads can already access the pages mapped so far. */
		zap_vma_ptes(vma, vma->vm_start, vma->vm_end - vma->vm_start);
		put(mapping);
		return error;
	}
	vma->vm_private_data = mapping;
	vma->vm_ops = &operations;
	return 0;
}

int gpusim_uvm_mmap(struct file *opened_file, struct vm_area_struct *vma)
{
	struct abi_mapping *mapping;

	if (!may_map(opened_file->private_data, vma)) {
		return -ENODEV;
	}
	if (is_private(vma)) {
		return -EINVAL;
	}
	mapping = make(vma, true);
	if (!mapping) {
		return -ENOMEM;
	}
	map_frames(vma);
	vma->vm_private_data = mapping;
	vma->vm_ops = &operations;
	return 0;
}
