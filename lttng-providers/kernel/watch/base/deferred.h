/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Work that a task does before it goes on in user space, and work that may wait. Both run
 * in process context without locks.
 */
#ifndef DW_DEFERRED_H
#define DW_DEFERRED_H

#include <linux/gfp.h>
#include <linux/sched.h>
#include <linux/task_work.h>
#include <linux/workqueue.h>

struct dw_deferred {
	struct callback_head head;
	/* Owns *work from here on and frees it, or keeps it for another time. */
	void (*run)(struct dw_deferred *work);
};

/* For what nobody waits for: breakpoints that go, memory that is freed. */
extern struct workqueue_struct *dw_workers;

int dw_deferred_init(void);

/*
 * 0, or -ESRCH: the task is past its last work, or is the kernel's own. Any context but
 * NMI. The task is current, or a new one that has not run yet. A task that exits does its
 * work, too, then without an mm.
 */
int dw_defer(struct task_struct *task, struct dw_deferred *work,
	     void (*run)(struct dw_deferred *work));

/*
 * The same where nothing else is to be kept: run(of, number). 0, -ESRCH, or -ENOMEM.
 */
int dw_defer_call(struct task_struct *task, gfp_t how, void (*run)(void *of, u64 number),
		  void *of, u64 number);

/* Waits until all work has been done that tasks have to do. */
void dw_deferred_wait(void);

/* The same, and all work of dw_workers; the caller has stopped all that makes new. */
void dw_deferred_exit(void);

#endif
