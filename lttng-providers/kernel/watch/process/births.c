// SPDX-License-Identifier: GPL-2.0
#include "watch/process/births.h"

#include <linux/binfmts.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/sched/mm.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/slab.h>

#include "watch/access/run.h"
#include "watch/base/counters.h"
#include "watch/base/symbols.h"
#include "watch/doorbell/watchpoint.h"
#include "watch/doorbell/watch.h"
#include "watch/faults/faults.h"
#include "watch/process/filter.h"
#include "watch/process/rm.h"
#include "watch/state/process.h"
#include "watch/state/mapping.h"

#define NAME_MAX_BYTES 256

static atomic64_t forks; /* number of forks that have copied mappings */

static void release_process(struct work_struct *work)
{
	struct dw_process *process = container_of(work, struct dw_process, release);

	if (process->parent) {
		dw_process_put(process->parent);
	}
	dw_run_free(process);
	dw_rm_free(process);
	mutex_destroy(&process->lock);
	dw_uncount(processes);
	kfree_rcu(process, rcu);
}

/* --- events --- */

static void say_begin(struct dw_process *process)
{
	char *name = kmalloc(NAME_MAX_BYTES, GFP_KERNEL);
	struct file *file = NULL;
	char driver[64];
	struct kt_event_process_begin event = {
		.name = "",
		.recorder = "doorbell_watch " KT_VERSION,
		.driver = dw_driver_version(driver, sizeof(driver)),
		.access = dw_access_on ? "coalesced" : "off",
		.doorbell = dw_mode_name(),
		.api = "none",
	};

	rcu_read_lock();
	event.ppid = rcu_dereference(current->real_parent)->tgid;
	rcu_read_unlock();
	if (name) {
		file = dw_task_exe_file(current);
		event.name = name;
	}
	if (file) {
		dw_mapping_device(file, name, NAME_MAX_BYTES);
		fput(file);
	} else if (name) {
		strscpy(name, current->comm, NAME_MAX_BYTES);
	}
	dw_count(begun);
	DW_EMIT(process, process_begin, &event, task_tgid_vnr(current));
	kfree(name);
}

/*
 * Emits process_begin unless it was emitted before; current is a task of the process. If
 * another thread is emitting it, waits for that thread. May sleep.
 */
static void begin(struct dw_process *process)
{
	mutex_lock(&process->lock);
	if (!test_bit(DW_PROCESS_BEGUN, &process->flags) &&
	    !test_bit(DW_PROCESS_ENDED, &process->flags)) {
		say_begin(process);
		set_bit(DW_PROCESS_BEGUN, &process->flags);
	}
	mutex_unlock(&process->lock);
}

/* --- begin --- */

struct dw_process *dw_process_get_current(bool wanted)
{
	struct dw_process *process;

	if (!current->mm) {
		return NULL;
	}
	rcu_read_lock();
	process = dw_process_find(current->tgid);
	if (process && !kref_get_unless_zero(&process->references)) {
		process = NULL;
	}
	rcu_read_unlock();
	if (!process && wanted && dw_filter_task(current)) {
		process = dw_process_new(current->mm, GFP_KERNEL, release_process);
		if (process && !dw_process_insert(process, current->tgid)) {
			dw_process_put(process); /* another thread was first */
			return dw_process_get_current(false);
		}
	}
	if (process) {
		begin(process);
	}
	return process;
}

/*
 * Lets a forked child continue the ordinals of its parent's mappings. The child keeps a
 * reference to the parent until begin_child() has copied the parent's objects.
 */
static void inherit(struct dw_process *child, struct dw_process *parent)
{
	atomic_set(&child->mappings, atomic_read(&parent->mappings));
	dw_process_get(parent);
	child->parent = parent;
}

/*
 * Returns, with a reference, the process that will own `mm`, or NULL if no fork is copying
 * mappings into `mm`. dw_process_lock is held.
 */
static struct dw_process *find_unborn(const struct mm_struct *mm)
{
	struct dw_process *process;

	list_for_each_entry(process, &dw_process_unborn, unborn) {
		if (process->mm == mm && kref_get_unless_zero(&process->references)) {
			return process;
		}
	}
	return NULL;
}

struct dw_process *dw_process_of_fork(struct mm_struct *mm, struct dw_process *parent)
{
	struct dw_process *process;

	spin_lock(&dw_process_lock);
	process = find_unborn(mm);
	spin_unlock(&dw_process_lock);
	if (process) {
		return process;
	}
	/* Must not fail: a VMA's open() cannot return an error to fork. */
	process = dw_process_new(mm, GFP_KERNEL | __GFP_NOFAIL, release_process);
	process->fork = atomic64_inc_return(&forks);
	inherit(process, parent);
	spin_lock(&dw_process_lock);
	list_add(&process->unborn, &dw_process_unborn);
	spin_unlock(&dw_process_lock);
	return process;
}

/* --- events of tasks --- */

/*
 * Returns the process's mapping after `last` (NULL: the first) with a reference, and drops
 * the reference to `last`.
 */
static struct dw_mapping *next_of(struct dw_process *process, struct dw_mapping *last)
{
	struct dw_mapping *mapping;
	struct dw_mapping *next = NULL;

	mutex_lock(&process->lock);
	/* `last` is still in the list, because the caller has a reference to it. */
	mapping = last ? last : list_entry(&process->list, struct dw_mapping, in_process);
	list_for_each_entry_continue(mapping, &process->list, in_process) {
		if (kref_get_unless_zero(&mapping->references)) {
			next = mapping;
			break;
		}
	}
	mutex_unlock(&process->lock);
	if (last) {
		dw_mapping_put(last);
	}
	return next;
}

/*
 * Runs in a new process before its first instruction. Copies the parent's objects, which
 * the parent may have changed since the fork, and watches the mappings that fork has
 * copied.
 */
static void begin_child(struct dw_deferred *work)
{
	struct dw_process *process = container_of(work, struct dw_process, birth);
	struct dw_mapping *mapping = NULL;

	if (current->mm) {
		begin(process);
		if (process->parent) {
			dw_rm_fork(process, process->parent);
			dw_process_put(process->parent);
			process->parent = NULL;
		}
		while ((mapping = next_of(process, mapping))) {
			dw_mapping_trace_accesses(mapping);
			dw_watch_open(mapping);
		}
	}
	dw_process_put(process);
}

static void forked(void *unused, struct task_struct *parent, struct task_struct *child)
{
	struct dw_process *of_parent;
	struct dw_process *process;

	if (!child->mm) {
		return;
	}
	if (child->mm == parent->mm) {
		dw_threads_fork(child);
		return;
	}
	/*
	 * The child has its own mm. Find or create its process; NULL: the child is not
	 * traced.
	 */
	spin_lock(&dw_process_lock);
	process = find_unborn(child->mm);
	of_parent = process ? NULL : dw_process_find(parent->tgid);
	if (of_parent) {
		process = dw_process_new(child->mm, GFP_ATOMIC, release_process);
		if (process) {
			inherit(process, of_parent);
		}
	}
	spin_unlock(&dw_process_lock);
	if (process && (!dw_process_insert(process, child->tgid) ||
			dw_defer(child, &process->birth, begin_child))) {
		dw_process_put(process);
	}
}

/*
 * Removes a process from the table and emits process_end, but only if process_begin was
 * emitted: a child that was killed before it ran has no events.
 */
static void ended(struct task_struct *task, const char *reason)
{
	struct dw_process *process = dw_process_take(task->tgid);
	struct kt_event_process_end event = {.reason = reason};

	if (!process) {
		return;
	}
	event.doorbells = atomic64_read(&process->doorbells);
	if (!test_and_set_bit(DW_PROCESS_ENDED, &process->flags) &&
	    test_bit(DW_PROCESS_BEGUN, &process->flags)) {
		DW_EMIT(process, process_end, &event);
	}
	dw_process_put(process);
}

static void execed(void *unused, struct task_struct *task, pid_t old_pid,
		   struct linux_binprm *program)
{
	dw_threads_leave();
	ended(task, "exec");
}

static void exited(void *unused, struct task_struct *task)
{
	dw_threads_leave();
	if (atomic_read(&task->signal->live) == 0) {
		ended(task, "exit");
	}
}

/* --- load and unload --- */

static struct dw_listener tasks[] = {
	{.name = "sched_process_fork", .probe = forked},
	{.name = "sched_process_exec", .probe = execed},
	{.name = "sched_process_exit", .probe = exited},
};

void dw_process_exit(void)
{
	dw_unlisten(tasks, ARRAY_SIZE(tasks));
	dw_process_forget_all();
}

int dw_process_init(void)
{
	return dw_listen(tasks, ARRAY_SIZE(tasks));
}
