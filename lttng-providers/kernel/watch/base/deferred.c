// SPDX-License-Identifier: GPL-2.0
#include "watch/base/deferred.h"

#include <linux/atomic.h>
#include <linux/slab.h>
#include <linux/wait.h>

#include "watch/base/symbols.h"

struct workqueue_struct *dw_workers;

static atomic_t under_way;
static DECLARE_WAIT_QUEUE_HEAD(nothing);

int dw_deferred_init(void)
{
	dw_workers = alloc_workqueue("doorbell_watch", WQ_UNBOUND, 0);
	return dw_workers ? 0 : -ENOMEM;
}

static void done(void)
{
	if (atomic_dec_and_test(&under_way)) {
		wake_up_all(&nothing);
	}
}

static void run_deferred(struct callback_head *head)
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
		return -ESRCH; /* kernel threads never return to user space */
	}
	init_task_work(&work->head, run_deferred);
	work->run = what;
	atomic_inc(&under_way);
	error = dw_task_work_add(task, &work->head);
	if (error) {
		done();
	}
	return error;
}

struct call {
	struct dw_deferred work;
	void (*run)(void *of, u64 number);
	void *of;
	u64 number;
};

static void run_call(struct dw_deferred *work)
{
	struct call *call = container_of(work, struct call, work);

	call->run(call->of, call->number);
	kfree(call);
}

int dw_defer_call(struct task_struct *task, gfp_t how, void (*run)(void *of, u64 number),
		  void *of, u64 number)
{
	struct call *call = kmalloc(sizeof(*call), how);
	int error;

	if (!call) {
		return -ENOMEM;
	}
	call->run = run;
	call->of = of;
	call->number = number;
	error = dw_defer(task, &call->work, run_call);
	if (error) {
		kfree(call);
	}
	return error;
}

void dw_deferred_wait(void)
{
	wait_event(nothing, atomic_read(&under_way) == 0);
}

/*
 * When dw_deferred_exit() returns, a deferred function may still be in its last
 * instructions. main.c then waits for the function's return by synchronize_rcu_tasks().
 */
void dw_deferred_exit(void)
{
	dw_deferred_wait();
	destroy_workqueue(dw_workers);
}
