// SPDX-License-Identifier: GPL-2.0
#include "watch/process.h"

#include <linux/binfmts.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/hashtable.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/sched/mm.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/slab.h>
#include <linux/tracepoint.h>

#include "watch/access.h"
#include "watch/counters.h"
#include "watch/emit.h"
#include "watch/filter.h"
#include "watch/hook.h"
#include "watch/mapping.h"
#include "watch/rm.h"
#include "watch/symbols.h"
#include "watch/threads.h"
#include "watch/watch.h"

#define NAME_MAX_BYTES 256

/*
 * Both are changed under the lock, in process context (with preemption off, in
 * tracepoints). The table has a reference to each.
 */
static DEFINE_HASHTABLE(table, 8);
static LIST_HEAD(unborn);
static atomic64_t forks; /* that have copied mappings */
static DEFINE_SPINLOCK(lock);

/* --- life --- */

static void release_process(struct work_struct *work)
{
	struct dw_process *process = container_of(work, struct dw_process, release);

	if (process->parent) {
		dw_process_put(process->parent);
	}
	dw_access_free(process);
	dw_rm_free(process);
	mutex_destroy(&process->lock);
	dw_uncount(processes);
	kfree_rcu(process, rcu);
}

static void released(struct kref *references)
{
	struct dw_process *process =
		container_of(references, struct dw_process, references);

	spin_lock(&lock);
	list_del_init(&process->unborn); /* of a fork that has failed */
	spin_unlock(&lock);
	queue_work(dw_workers, &process->release);
}

void dw_process_get(struct dw_process *process)
{
	kref_get(&process->references);
}

void dw_process_put(struct dw_process *process)
{
	kref_put(&process->references, released);
}

static struct dw_process *create(struct mm_struct *mm, gfp_t how)
{
	struct dw_process *process = kzalloc(sizeof(*process), how | __GFP_ACCOUNT);

	if (!process) {
		return NULL;
	}
	kref_init(&process->references);
	INIT_HLIST_NODE(&process->node);
	INIT_LIST_HEAD(&process->unborn);
	INIT_LIST_HEAD(&process->list);
	INIT_LIST_HEAD(&process->untold);
	INIT_WORK(&process->release, release_process);
	mutex_init(&process->lock);
	process->mm = mm;
	dw_count(processes);
	return process;
}

/* --- the table --- */

/* Under the lock or rcu_read_lock(). */
static struct dw_process *find(pid_t pid)
{
	struct dw_process *process;

	hash_for_each_possible_rcu(table, process, node, pid, lockdep_is_held(&lock)) {
		if (process->pid == pid) {
			return process;
		}
	}
	return NULL;
}

struct dw_process *dw_process_peek(struct task_struct *task)
{
	return find(task->tgid);
}

/* false: there is one already. The table has a reference of its own then. */
static bool insert(struct dw_process *process, pid_t pid)
{
	bool is_new;

	spin_lock(&lock);
	is_new = !find(pid);
	if (is_new) {
		list_del_init(&process->unborn);
		process->pid = pid;
		dw_process_get(process);
		hash_add_rcu(table, &process->node, pid);
	}
	spin_unlock(&lock);
	return is_new;
}

/* Out of the table: the table's reference is the caller's; NULL: it is not traced. */
static struct dw_process *take(pid_t pid)
{
	struct dw_process *process;

	spin_lock(&lock);
	process = find(pid);
	if (process) {
		hash_del_rcu(&process->node);
	}
	spin_unlock(&lock);
	return process;
}

/* --- events --- */

struct kt_event_head dw_process_head(struct dw_process *process)
{
	dw_count(events);
	return (struct kt_event_head){
		.pid = process->pid,
		.tid = current->pid,
		.seq = atomic64_inc_return(&process->sequence) - 1,
	};
}

/* name[n]: base name of the current task's executable. */
static void executable(char *name, size_t n)
{
	struct file *file = dw_task_exe_file(current);

	if (file) {
		dw_mapping_device(file, name, n);
		fput(file);
	} else {
		strscpy(name, current->comm, n);
	}
}

static u32 parent_pid(void)
{
	u32 pid;

	rcu_read_lock();
	pid = rcu_dereference(current->real_parent)->tgid;
	rcu_read_unlock();
	return pid;
}

static void say_begin(struct dw_process *process)
{
	char *name = kmalloc(NAME_MAX_BYTES, GFP_KERNEL);
	char driver[64];
	struct kt_event_process_begin event = {
		.name = "",
		.ppid = parent_pid(),
		.recorder = "doorbell_watch " KT_VERSION,
		.driver = dw_hook_driver(driver, sizeof(driver)),
		.access = dw_access_on ? "coalesced" : "off",
		.doorbell = dw_mode_name(),
		.api = "none",
	};

	if (name) {
		executable(name, NAME_MAX_BYTES);
		event.name = name;
	}
	dw_count(begun);
	DW_EMIT(process, process_begin, &event, task_tgid_vnr(current));
	kfree(name);
}

/*
 * The first event of its life, unless it has been; current is one of its tasks. When it
 * returns the event is there, whichever thread has raised it. May sleep.
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

/* A child that was killed before it ran has no events at all. */
static void end(struct dw_process *process, const char *reason)
{
	struct kt_event_process_end event = {
		.reason = reason,
		.doorbells = atomic64_read(&process->doorbells),
	};

	if (!test_and_set_bit(DW_PROCESS_ENDED, &process->flags) &&
	    test_bit(DW_PROCESS_BEGUN, &process->flags)) {
		DW_EMIT(process, process_end, &event);
	}
}

/* --- begin --- */

struct dw_process *dw_process_get_current(bool wanted)
{
	struct dw_process *process;

	if (!current->mm) {
		return NULL;
	}
	rcu_read_lock();
	process = find(current->tgid);
	if (process && !kref_get_unless_zero(&process->references)) {
		process = NULL;
	}
	rcu_read_unlock();
	if (!process && wanted && dw_filter_task(current)) {
		process = create(current->mm, GFP_KERNEL);
		if (process && !insert(process, current->tgid)) {
			dw_process_put(process); /* another thread was faster */
			return dw_process_get_current(false);
		}
	}
	if (process) {
		begin(process);
	}
	return process;
}

/* A forked child goes on with its parent's numbers, and will take over what it knows. */
static void inherit(struct dw_process *child, struct dw_process *parent)
{
	atomic_set(&child->mappings, atomic_read(&parent->mappings));
	dw_process_get(parent);
	child->parent = parent;
}

struct dw_process *dw_process_unborn(struct mm_struct *mm, struct dw_process *parent)
{
	struct dw_process *process;
	struct dw_process *found = NULL;

	spin_lock(&lock);
	list_for_each_entry(process, &unborn, unborn) {
		if (process->mm == mm && kref_get_unless_zero(&process->references)) {
			found = process;
			break;
		}
	}
	spin_unlock(&lock);
	if (found) {
		return found;
	}
	/* fork has no way to be told that there is no memory for this. */
	found = create(mm, GFP_KERNEL | __GFP_NOFAIL);
	found->fork = atomic64_inc_return(&forks);
	inherit(found, parent);
	spin_lock(&lock);
	list_add(&found->unborn, &unborn);
	spin_unlock(&lock);
	return found;
}

/* --- what becomes of tasks --- */

/* Its parent may have other objects by now, but not in what the child knows of. */
static void inherit_objects(struct dw_process *process)
{
	if (process->parent) {
		dw_rm_fork(process, process->parent);
		dw_process_put(process->parent);
		process->parent = NULL;
	}
}

/* In a new process, before its first instruction. */
static void born(struct dw_deferred *work)
{
	struct dw_process *process = container_of(work, struct dw_process, birth);

	if (current->mm) {
		begin(process);
		inherit_objects(process);
		dw_mapping_born(process);
	}
	dw_process_put(process);
}

/* The process of a child that has an mm of its own: a reference, or NULL: not traced. */
static struct dw_process *process_of_child(struct task_struct *parent,
					   struct task_struct *child)
{
	struct dw_process *process;
	struct dw_process *of_parent;

	spin_lock(&lock);
	list_for_each_entry(process, &unborn, unborn) {
		if (process->mm == child->mm &&
		    kref_get_unless_zero(&process->references)) {
			spin_unlock(&lock);
			return process;
		}
	}
	of_parent = find(parent->tgid);
	process = of_parent ? create(child->mm, GFP_ATOMIC) : NULL;
	if (process) {
		inherit(process, of_parent);
	}
	spin_unlock(&lock);
	return process;
}

static void forked(void *unused, struct task_struct *parent, struct task_struct *child)
{
	struct dw_process *process;

	if (!child->mm) {
		return;
	}
	if (child->mm == parent->mm) {
		dw_threads_fork(child);
		return;
	}
	process = process_of_child(parent, child);
	if (!process) {
		return;
	}
	if (!insert(process, child->tgid) || dw_defer(child, &process->birth, born)) {
		dw_process_put(process);
	}
}

static void ended(struct task_struct *task, const char *reason)
{
	struct dw_process *process = take(task->tgid);

	if (process) {
		end(process, reason);
		dw_process_put(process);
	}
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

/* --- init and exit --- */

static struct {
	const char *name;
	void *probe;
	struct tracepoint *tracepoint; /* NULL: not registered */
} probes[] = {
	{"sched_process_fork", forked},
	{"sched_process_exec", execed},
	{"sched_process_exit", exited},
};

static void forget_all(void)
{
	struct dw_process *process;
	unsigned int bucket;
	bool found;

	do {
		found = false;
		rcu_read_lock();
		hash_for_each_rcu(table, bucket, process, node) {
			found = true;
			break;
		}
		process = found ? take(process->pid) : NULL;
		rcu_read_unlock();
		if (process) {
			dw_process_put(process);
		}
	} while (found);
}

void dw_process_exit(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(probes); i++) {
		if (probes[i].tracepoint) {
			tracepoint_probe_unregister(probes[i].tracepoint, probes[i].probe,
						    NULL);
			probes[i].tracepoint = NULL;
		}
	}
	tracepoint_synchronize_unregister();
	forget_all();
}

int dw_process_init(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(probes); i++) {
		struct tracepoint *tracepoint = dw_tracepoint(probes[i].name);
		int error = tracepoint ? tracepoint_probe_register(tracepoint,
								   probes[i].probe, NULL)
				       : -ENOENT;

		if (error) {
			pr_err("listen to %s: error %d\n", probes[i].name, error);
			dw_process_exit();
			return error;
		}
		probes[i].tracepoint = tracepoint;
	}
	return 0;
}
