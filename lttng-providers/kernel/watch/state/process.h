/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Processes that are traced. One begins with its first traced call, or as the forked child
 * of one that is traced; it ends with the exit of its last thread, or with exec.
 *
 * Order of locks: a process's lock is taken within mmap_lock (a VMA's operations take it),
 * so its holder must not touch user memory nor take mmap_lock, and may sleep only to
 * allocate. Perf's locks (breakpoints) are taken within neither.
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

struct dw_run; /* run.c: the run of accesses that is open */
struct dw_rm;  /* rm.c: objects of the process and what its files will map */

struct dw_process {
	struct kref references;
	struct hlist_node node;  /* in the table, by pid; RCU */
	struct list_head unborn; /* of a fork that is under way */
	struct dw_deferred birth;
	struct work_struct release;
	struct rcu_head rcu;
	pid_t pid;            /* tgid in the initial namespace; 0: not yet born */
	struct mm_struct *mm; /* whose it is: never followed, only compared */
	unsigned long flags;  /* DW_PROCESS_* */
	atomic64_t sequence;  /* of the next event */
	atomic64_t doorbells;
	atomic_t mappings;     /* ordinals given so far */
	struct mutex lock;     /* of `rm`, `list` and `pending` */
	struct list_head list; /* struct dw_mapping, in the order in which they were made */
	struct list_head pending; /* changes of mappings whose events are due (pending.c) */
	struct dw_rm *rm;         /* Owned by this; NULL until needed */
	struct dw_run *run;       /* Owned by this (run.c); NULL: no access is traced */
	u64 fork;                 /* that it comes from: no two are the same */
	struct dw_process *parent; /* a reference, until a forked child knows its objects */
};

#define DW_PROCESS_BEGUN 0 /* process_begin has been raised */
#define DW_PROCESS_ENDED 1 /* so has process_end */

/*
 * A process with one reference, in no table; NULL: out of memory. `release` is a worker's,
 * when the last reference has gone: it frees what others keep of it, and the process.
 */
struct dw_process *dw_process_new(struct mm_struct *mm, gfp_t how, work_func_t release);
void dw_process_get(struct dw_process *process);
/* Any context but NMI: what is left to do is a worker's. */
void dw_process_put(struct dw_process *process);

/* Of the table, and of the processes of forks that are under way. */
extern spinlock_t dw_process_lock;
extern struct list_head dw_process_unborn;

/* One in the table, or NULL. Under that lock or rcu_read_lock(). */
struct dw_process *dw_process_find(pid_t pid);
/* That of a task without a reference, in any context under rcu_read_lock(). */
struct dw_process *dw_process_peek(struct task_struct *task);

/* false: there is one already. The table has a reference of its own then. */
bool dw_process_insert(struct dw_process *process, pid_t pid);

/* Out of the table: the table's reference is the caller's; NULL: it is not traced. */
struct dw_process *dw_process_take(pid_t pid);
/* All of them, without events. */
void dw_process_forget_all(void);

/* The head of the next event: takes its sequence number. Any context. */
struct kt_event_head dw_process_head(struct dw_process *process);

/*
 * Raises an event of a process: DW_EMIT(process, map, &event); its sequence number. It
 * takes that whether anybody listens or not: a trace that begins later says so by that. In
 * any context. More arguments go to the tracepoint (trace.h).
 */
#define DW_EMIT(process, name, ...)                                                        \
	({                                                                                 \
		struct kt_event_head head_ = dw_process_head(process);                     \
                                                                                           \
		trace_gpu_stack_##name(&head_, __VA_ARGS__);                               \
		head_.seq;                                                                 \
	})

#endif
