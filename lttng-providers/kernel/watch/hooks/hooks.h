/* SPDX-License-Identifier: GPL-2.0 */
/* Where the kernel and the driver are tapped. */
#ifndef DW_HOOKS_H
#define DW_HOOKS_H

#include <linux/task_work.h>
#include <linux/types.h>

/* hook.c: around a driver's mmap, after which dw_mmap_returned() is called */
int dw_hook_init(void);
void dw_hook_exit(void);

/* ioctl.c: ioctl and open of the devices that are traced */
int dw_ioctl_init(void);
void dw_ioctl_exit(void);

/* irq.c: interrupts of devices, gpu_stack_irq for the lines of the parameter irq */
int dw_irq_init(void);
void dw_irq_exit(void);

/* pin.c: pages of a process that the kernel pins in the course of a traced ioctl */
int dw_pin_init(void);
void dw_pin_exit(void);

#define DW_DEVICE_MAX 24 /* of a device's name, its end included */

/* A system call of a task that is under way. */
struct dw_call {
	struct callback_head work; /* runs when the call has returned */
	struct hlist_node node;    /* of all calls (ioctl.c) */
	struct rcu_head rcu;
	struct task_struct *task;
	bool is_open;    /* of a device; else an ioctl */
	bool is_unsure;  /* whether that device is traced: the file will tell */
	bool is_emitted; /* gpu_stack_ioctl_entry has been raised */
	bool is_pinning; /* the kernel pins pages for it just now (pin.c) */
	char device[DW_DEVICE_MAX];
	int fd;
	u64 request;
	u64 argument;
	u64 began; /* ns */
};

/*
 * The traced ioctl that the current task is in, or NULL. Any context; it lives until the
 * task leaves the kernel.
 */
struct dw_call *dw_ioctl_current(void);

#endif
