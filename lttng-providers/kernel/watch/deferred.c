// SPDX-License-Identifier: GPL-2.0
#include "watch/deferred.h"

#include <linux/atomic.h>
#include <linux/version.h>
#include <linux/wait.h>

#include "watch/symbols.h"

/* Exported by Debian only. Before 5.11 `how` is a bool, and true means the same. */
static int (*add)(struct task_struct *task, struct callback_head *work, int how);
#if LINUX_VERSION_CODE < KERNEL_VERSION(5, 11, 0)
#define HOW 1
#else
#define HOW TWA_RESUME
#endif

struct workqueue_struct *dw_workers;

static atomic_t under_way;
static DECLARE_WAIT_QUEUE_HEAD(nothing);

int dw_deferred_init(void)
{
	add = (void *)dw_symbol("task_work_add");
	if (!add) {
		pr_err("find task_work_add: the kernel has no such symbol\n");
		return -ENOENT;
	}
	dw_workers = alloc_workqueue("doorbell_watch", WQ_UNBOUND, 0);
	return dw_workers ? 0 : -ENOMEM;
}

static void done(void)
{
	if (atomic_dec_and_test(&under_way)) {
		wake_up_all(&nothing);
	}
}

static void run(struct callback_head *head)
{
	struct dw_deferred *work = container_of(head, struct dw_deferred, head);

	work->run(work);
	done();
}

int dw_defer(struct task_struct *task, struct dw_deferred *work,
	     void (*what)(struct dw_deferred *work))
{
	int error;

	if (task->flags & PF_KTHREAD) {
		return -ESRCH; /* never goes to user space */
	}
	init_task_work(&work->head, run);
	work->run = what;
	atomic_inc(&under_way);
	error = add(task, &work->head, HOW);
	if (error) {
		done();
	}
	return error;
}

void dw_deferred_wait(void)
{
	wait_event(nothing, atomic_read(&under_way) == 0);
}

/* The last of them may still have to return: main.c waits for that, too. */
void dw_deferred_exit(void)
{
	dw_deferred_wait();
	destroy_workqueue(dw_workers);
}
