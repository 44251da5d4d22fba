/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Hides differences between kernel versions from the bench's drivers: device nodes,
 * mappings.
 */
#ifndef DEVICE_NODE_H
#define DEVICE_NODE_H

#include <linux/device.h>
#include <linux/err.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/version.h>

/* Returns an ERR_PTR on failure. */
static inline struct class *make_class(const char *name)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 4, 0)
	return class_create(name);
#else
	return class_create(THIS_MODULE, name);
#endif
}

/* Makes the VMA a mapping of page frames, as in real drivers. */
static inline void map_frames(struct vm_area_struct *vma)
{
	unsigned long flags = VM_PFNMAP | VM_IO | VM_DONTEXPAND | VM_DONTDUMP;

#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 3, 0)
	vm_flags_set(vma, flags);
#else
	vma->vm_flags |= flags;
#endif
}

/* Before kernel 6.5, the functions that pin pages take a last argument for VMAs. */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 5, 0)
#define NO_VMAS , NULL
#else
#define NO_VMAS
#endif

/* Returns 0 or a negative errno. device_destroy() removes the node. */
static inline int make_device_node(struct class *class, dev_t number, const char *name)
{
	return PTR_ERR_OR_ZERO(device_create(class, NULL, number, NULL, "%s", name));
}

#endif
