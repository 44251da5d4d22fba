// SPDX-License-Identifier: GPL-2.0
#include "watch/state/process.h"

#include <linux/hashtable.h>
#include <linux/slab.h>

#include "watch/base/counters.h"

/*
 * The table and the list dw_process_unborn are changed under dw_process_lock. The lock is a
 * spinlock, because it is also taken in tracepoints, where preemption is off. The table
 * holds a reference to each process in it.
 */
static DEFINE_HASHTABLE(table, 8);
LIST_HEAD(dw_process_unborn);
DEFINE_SPINLOCK(dw_process_lock);

/* --- references --- */

struct dw_process *dw_process_new(struct mm_struct *mm, gfp_t how, work_func_t release)
{
	struct dw_process *process = kzalloc(sizeof(*process), how | __GFP_ACCOUNT);

	if (!process) {
		return NULL;
	}
	kref_init(&process->references);
	INIT_HLIST_NODE(&process->node);
	INIT_LIST_HEAD(&process->unborn);
	INIT_LIST_HEAD(&process->list);
	INIT_LIST_HEAD(&process->pending);
	INIT_WORK(&process->release, release);
	mutex_init(&process->lock);
	process->mm = mm;
	dw_count(processes);
	return process;
}

static void released(struct kref *references)
{
	struct dw_process *process =
		container_of(references, struct dw_process, references);

	spin_lock(&dw_process_lock);
	list_del_init(&process->unborn); /* the process is still in the list if its fork
					  * failed */
	spin_unlock(&dw_process_lock);
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

/* --- the table --- */

struct dw_process *dw_process_find(pid_t pid)
{
	struct dw_process *process;

	hash_for_each_possible_rcu(table, process, node, pid,
				   lockdep_is_held(&dw_process_lock)) {
		if (process->pid == pid) {
			return process;
		}
	}
	return NULL;
}

struct dw_process *dw_process_peek(struct task_struct *task)
{
	return dw_process_find(task->tgid);
}

bool dw_process_insert(struct dw_process *process, pid_t pid)
{
	bool is_new;

	spin_lock(&dw_process_lock);
	is_new = !dw_process_find(pid);
	if (is_new) {
		list_del_init(&process->unborn);
		process->pid = pid;
		dw_process_get(process);
		hash_add_rcu(table, &process->node, pid);
	}
	spin_unlock(&dw_process_lock);
	return is_new;
}

struct dw_process *dw_process_take(pid_t pid)
{
	struct dw_process *process;

	spin_lock(&dw_process_lock);
	process = dw_process_find(pid);
	if (process) {
		hash_del_rcu(&process->node);
	}
	spin_unlock(&dw_process_lock);
	return process;
}

void dw_process_forget_all(void)
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
		process = found ? dw_process_take(process->pid) : NULL;
		rcu_read_unlock();
		if (process) {
			dw_process_put(process);
		}
	} while (found);
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

#define DEFINE(name) DEFINE_TRACE(gpu_stack_##name, DW_PROTO(name), TP_ARGS(head, event));
#define DEFINE_MORE(name, prototype, arguments)                                            \
	DEFINE_TRACE(gpu_stack_##name, PARAMS(prototype), PARAMS(arguments));
DW_TRACEPOINTS(DEFINE, DEFINE_MORE)
