/* SPDX-License-Identifier: GPL-2.0 */
/* What drivers of the bench's devices ask of kernels that differ: nodes in /dev, mappings.
 */
#ifndef DEVICE_NODE_H
#define DEVICE_NODE_H

#include <linux/device.h>
#include <linux/err.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/version.h>

/* May be an error: IS_ERR(). */
static inline struct class *make_class(const char *name)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 4, 0)
	return class_create(name);
#else
	return class_create(THIS_MODULE, name);
#endif
}

/* A mapping of page frames, as real drivers' are. */
static inline void map_frames(struct vm_area_struct *vma)
{
	unsigned long flags = VM_PFNMAP | VM_IO | VM_DONTEXPAND | VM_DONTDUMP;

#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 3, 0)
	vm_flags_set(vma, flags);
#else
	vma->vm_flags |= flags;
#endif
}

/* Since 6.5 nobody who pins pages asks for their VMAs: a last argument that is no more. */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 5, 0)
#define NO_VMAS , NULL
#else
#define NO_VMAS
#endif

/* 0, or a negative errno; device_destroy() is its end. */
static inline int make_device_node(struct class *class, dev_t number, const char *name)
{
	return PTR_ERR_OR_ZERO(device_create(class, NULL, number, NULL, "%s", name));
}

#endif
