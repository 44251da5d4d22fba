// SPDX-License-Identifier: GPL-2.0
#include "watch/doorbell/threads.h"

#include <linux/sched/mm.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/slab.h>

#include "watch/base/counters.h"
#include "watch/base/deferred.h"
#include "watch/base/plant.h"
#include "watch/doorbell/watchpoint.h"
#include "watch/state/open-doors.h"

#define TASKS 16 /* that are taken from the list of tasks at once */
#define DOORS 16 /* of one process that a new thread is told of at once */

/* --- those that are there --- */

static void say_once(int error)
{
	if (error == -ENOSPC) {
		dw_count(no_register);
		pr_warn_once(
			"no debug register is free (a thread has four): doorbells that "
			"go by unseen are counted in no_register\n");
	} else {
		dw_count(not_watched);
		pr_warn_once("a thread could not be watched: error %d\n", error);
	}
}

/* When a task was made: no two are the same. */
struct age {
	u64 start;
	pid_t pid;
};

static struct age age_of(const struct task_struct *task)
{
	return (struct age){.start = task->start_time, .pid = task->pid};
}

static bool is_older(struct age x, struct age y)
{
	return x.start < y.start || (x.start == y.start && x.pid < y.pid);
}

/*
 * Tasks of the door's mm without a watchpoint of it that are younger than `tried`: the
 * oldest, as many as fit, oldest first, with references. The door's lock is held.
 */
static size_t collect_tasks(const struct dw_door *door, struct task_struct **out,
			    struct age tried)
{
	struct task_struct *process;
	struct task_struct *task;
	size_t n = 0;
	size_t at;

	rcu_read_lock();
	for_each_process_thread(process, task) {
		if (task->mm != door->mapping->mm ||
		    (task->flags & (PF_EXITING | PF_KTHREAD)) ||
		    !is_older(tried, age_of(task)) || dw_watchpoint_is_set(door, task)) {
			continue;
		}
		at = n;
		while (at > 0 && is_older(age_of(task), age_of(out[at - 1]))) {
			at--;
		}
		if (n == TASKS && at < n) {
			put_task_struct(out[--n]);
		}
		if (at < TASKS) {
			memmove(out + at + 1, out + at, (n - at) * sizeof(*out));
			out[at] = get_task_struct(task);
			n++;
		}
	}
	rcu_read_unlock();
	return n;
}

/*
 * All threads that there are, from the oldest on, each once. One that is made meanwhile is
 * not missed: the door is in the list, so either the fork's tracepoint sees to it, or the
 * thread was there before we looked. Breakpoints of doors that are closed keep debug
 * registers until a worker has been there.
 */
void dw_threads_arm(struct dw_door *door)
{
	struct task_struct *tasks[TASKS];
	struct age tried = {0};
	int first = 0;
	size_t n;

	flush_workqueue(dw_workers);
	mutex_lock(&door->lock);
	while (!test_bit(DW_DOOR_GONE, &door->state) &&
	       (n = collect_tasks(door, tasks, tried)) > 0) {
		tried = age_of(tasks[n - 1]);
		for (size_t i = 0; i < n; i++) {
			int error = dw_watchpoint_set(door, tasks[i]);

			if (!first && !(tasks[i]->flags & PF_EXITING)) {
				first = error;
			}
			put_task_struct(tasks[i]);
		}
	}
	mutex_unlock(&door->lock);
	if (first) {
		say_once(first);
	}
}

/* --- new threads, and those that end --- */

/* A new thread, before its first instruction. */
static void join(struct dw_deferred *work)
{
	struct dw_door *found[DOORS];
	size_t seen = 0;
	size_t n;

	do {
		n = current->mm ? dw_doors_of_current(found, DOORS, seen) : 0;
		for (size_t i = 0; i < n; i++) {
			struct dw_door *door = found[i];
			int error = 0;

			/* A shadow needs none. If it is left who does so looks for all
			 * threads after that has been noted. */
			if (!DW_PLANT_LOST_LOCK) {
				mutex_lock(&door->lock);
			}
			if (!test_bit(DW_DOOR_GONE, &door->state) &&
			    test_bit(DW_DOOR_REAL, &door->state)) {
				error = dw_watchpoint_set(door, current);
			}
			if (!DW_PLANT_LOST_LOCK) {
				mutex_unlock(&door->lock);
			}
			if (error) {
				say_once(error);
			}
			dw_mapping_put(door->mapping);
		}
		seen += n;
	} while (n == DOORS);
	kfree(work);
}

void dw_threads_fork(struct task_struct *child)
{
	struct dw_deferred *work;

	/* The child is in the list of tasks: one that gets its real page from here on finds
	 * it there (dw_threads_arm()). */
	if (!dw_doors_any_real(child->mm)) {
		return;
	}
	work = kmalloc(sizeof(*work), GFP_ATOMIC);
	if (!work || dw_defer(child, work, join)) {
		dw_count(not_watched);
		kfree(work);
	}
}

static void leave(struct dw_deferred *work)
{
	dw_watchpoint_clear_current();
	kfree(work);
}

void dw_threads_leave(void)
{
	struct dw_deferred *work;

	if (!dw_watchpoint_has_current()) {
		return;
	}
	/* Else they stay until their door closes. */
	work = kmalloc(sizeof(*work), GFP_ATOMIC);
	if (work && dw_defer(current, work, leave)) {
		kfree(work);
	}
}
