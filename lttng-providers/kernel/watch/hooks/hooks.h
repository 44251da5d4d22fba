/* SPDX-License-Identifier: GPL-2.0 */
/* Hooks in the kernel and in the driver. */
#ifndef DW_HOOKS_H
#define DW_HOOKS_H

#include <linux/task_work.h>
#include <linux/types.h>

/*
 * hook.c: hooks the mmap functions of drivers and calls dw_mmap_returned() after each call
 */
int dw_hook_init(void);
void dw_hook_exit(void);

/* ioctl.c: reports ioctl and open calls of the devices that are traced */
int dw_ioctl_init(void);
void dw_ioctl_exit(void);

/* irq.c: emits gpu_stack_irq for interrupts of the lines in the parameter irq */
int dw_irq_init(void);
void dw_irq_exit(void);

/* pin.c: reports pages of a process that the kernel pins during a traced ioctl */
int dw_pin_init(void);
void dw_pin_exit(void);

#define DW_DEVICE_MAX 24 /* bytes of a device's name, including NUL */

/* A system call that is under way. */
struct dw_call {
	struct callback_head work; /* runs when the call has returned */
	struct hlist_node node;    /* in the table of all calls (ioctl.c) */
	struct rcu_head rcu;
	struct task_struct *task;
	bool is_open;    /* true: the call opens a device; false: it is an ioctl */
	bool is_unsure;  /* only the open shows whether the device is traced */
	bool is_emitted; /* gpu_stack_ioctl_entry was emitted */
	bool is_pinning; /* the kernel is pinning pages for the call (pin.c) */
	char device[DW_DEVICE_MAX];
	int fd;
	u64 request;
	u64 argument;
	u64 began; /* time of the call's entry, ns */
};

/*
 * Returns the traced ioctl of the current task, or NULL. Any context; the result is valid
 * until the task leaves the kernel.
 */
struct dw_call *dw_ioctl_current(void);

#endif
