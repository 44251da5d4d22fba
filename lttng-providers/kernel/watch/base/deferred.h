/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Work that a task does before it returns to user space, and work for a worker thread. Both
 * kinds run in process context without locks.
 */
#ifndef DW_DEFERRED_H
#define DW_DEFERRED_H

#include <linux/gfp.h>
#include <linux/sched.h>
#include <linux/task_work.h>
#include <linux/workqueue.h>

struct dw_deferred {
	struct callback_head head;
	/* Takes over *work: frees it, or keeps it for another use. */
	void (*run)(struct dw_deferred *work);
};

/* Runs work that no caller waits for: removing breakpoints, freeing memory. */
extern struct workqueue_struct *dw_workers;

int dw_deferred_init(void);

/*
 * Runs `run` in `task` before the task next returns to user space. `task` is current, or a
 * new task that has not run yet. An exiting task runs its work too, without an mm. Any
 * context but NMI.
 *
 * Returns 0, or -ESRCH if the task is a kernel thread or is exiting and runs no more work.
 */
int dw_defer(struct task_struct *task, struct dw_deferred *work,
	     void (*run)(struct dw_deferred *work));

/*
 * As dw_defer(), but allocates the work itself, with the GFP flags `how`, and calls run(of,
 * number). Returns 0, -ESRCH or -ENOMEM.
 */
int dw_defer_call(struct task_struct *task, gfp_t how, void (*run)(void *of, u64 number),
		  void *of, u64 number);

/* Waits until tasks have done all work that was deferred to them. */
void dw_deferred_wait(void);

/*
 * As dw_deferred_wait(), and also finishes the work of dw_workers and destroys the queue.
 * The caller has stopped everything that defers new work.
 */
void dw_deferred_exit(void);

#endif
