/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Traced processes. A process begins with its first traced call, or as the forked child of
 * a traced process; it ends when its last thread exits, or with exec.
 *
 * Lock order: a process's lock is taken within mmap_lock, because operations of a VMA take
 * it. The holder of a process's lock therefore neither touches user memory nor takes
 * mmap_lock, and sleeps only to allocate memory. Neither lock is held while perf's locks
 * (breakpoints) are taken.
 */
#ifndef DW_PROCESS_H
#define DW_PROCESS_H

#include <linux/atomic.h>
#include <linux/kref.h>
#include <linux/mutex.h>
#include <linux/sched.h>
#include <linux/spinlock.h>
#include <linux/workqueue.h>

#include "watch/base/deferred.h"
#include "watch/base/trace.h"

struct dw_run; /* run.c: the open run of accesses */
/* rm.c: objects, and what the next mmaps of files map */
struct dw_rm;

struct dw_process {
	struct kref references;
	struct hlist_node node;  /* in the table, by pid; RCU */
	struct list_head unborn; /* in the list of processes whose fork is under way */
	struct dw_deferred birth;
	struct work_struct release;
	struct rcu_head rcu;
	/* Tgid in the initial namespace; 0 until the fork has succeeded */
	pid_t pid;
	struct mm_struct *mm; /* Weak: only compared */
	unsigned long flags;  /* DW_PROCESS_* */
	atomic64_t sequence;  /* number of the next event */
	atomic64_t doorbells;
	atomic_t mappings;     /* last ordinal of a mapping */
	struct mutex lock;     /* protects `rm`, `list` and `pending` */
	struct list_head list; /* struct dw_mapping, oldest first */
	/* Changes of mappings whose events are pending (pending.c) */
	struct list_head pending;
	struct dw_rm *rm;   /* Owned by this; NULL until needed */
	struct dw_run *run; /* Owned by this (run.c); NULL: accesses are not traced */
	/* Unique number of the fork that has copied mappings for this process; 0: none */
	u64 fork;
	/*
	 * Holds a reference: the parent, until the parent's objects are copied; NULL: none
	 */
	struct dw_process *parent;
};

#define DW_PROCESS_BEGUN 0 /* process_begin has been emitted */
#define DW_PROCESS_ENDED 1 /* process_end has been emitted */

/*
 * Creates a process with one reference, or returns NULL if memory is short. The process is
 * not in the table yet. `mm` is only compared; `how` contains allocation flags. When the
 * last reference is dropped, a worker calls `release`, which frees the process and the data
 * that rm.c and run.c attach to it.
 */
struct dw_process *dw_process_new(struct mm_struct *mm, gfp_t how, work_func_t release);
void dw_process_get(struct dw_process *process);
/* Any context but NMI: a worker frees the process. */
void dw_process_put(struct dw_process *process);

/* Protects the table, and the list of processes whose fork is under way. */
extern spinlock_t dw_process_lock;
extern struct list_head dw_process_unborn;

/*
 * Returns the process with a pid, without a reference, or NULL if it is not in the table.
 * The caller holds dw_process_lock or rcu_read_lock().
 */
struct dw_process *dw_process_find(pid_t pid);
/*
 * Returns the process of a task, without a reference, or NULL. Any context, under
 * rcu_read_lock().
 */
struct dw_process *dw_process_peek(struct task_struct *task);

/*
 * Adds a process to the table, which takes a reference of its own. Returns false if the pid
 * is in the table already.
 */
bool dw_process_insert(struct dw_process *process, pid_t pid);

/*
 * Removes a process from the table and returns it, or NULL if the pid is not in the table.
 * The caller takes over the table's reference.
 */
struct dw_process *dw_process_take(pid_t pid);
/* Removes all processes, without events. */
void dw_process_forget_all(void);

/* Returns the head of a new event, with the process's next sequence number. Any context. */
struct kt_event_head dw_process_head(struct dw_process *process);

/*
 * Emits an event of a process, for example DW_EMIT(process, map, &event), and evaluates to
 * the event's sequence number. The numbers increase even while no session is active, so the
 * first number in a trace shows whether earlier events of the process are missing. Further
 * arguments go to the tracepoint (trace.h). Any context.
 */
#define DW_EMIT(process, name, ...)                                                        \
	({                                                                                 \
		struct kt_event_head head_ = dw_process_head(process);                     \
                                                                                           \
		trace_gpu_stack_##name(&head_, __VA_ARGS__);                               \
		head_.seq;                                                                 \
	})

#endif
