/* SPDX-License-Identifier: GPL-2.0 */
/* A class of the bench's devices, and a node of one in /dev. */
#ifndef DEVICE_NODE_H
#define DEVICE_NODE_H

#include <linux/device.h>
#include <linux/err.h>
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

/* 0, or a negative errno; device_destroy() is its end. */
static inline int make_device_node(struct class *class, dev_t number, const char *name)
{
	return PTR_ERR_OR_ZERO(device_create(class, NULL, number, NULL, "%s", name));
}

#endif
