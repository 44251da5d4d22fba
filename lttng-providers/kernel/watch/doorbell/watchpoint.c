// SPDX-License-Identifier: GPL-2.0
#include "watch/doorbell/watchpoint.h"

#include <linux/hashtable.h>
#include <linux/hw_breakpoint.h>
#include <linux/kdebug.h>
#include <linux/perf_event.h>
#include <linux/ptrace.h>
#include <linux/sched/mm.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/slab.h>
#include <asm/debugreg.h>

#include "watch/access/run.h"
#include "watch/base/counters.h"
#include "watch/base/deferred.h"
#include "watch/base/plant.h"
#include "watch/doorbell/doorbell.h"
#include "watch/store/store-decode.h"
#include "watch/store/user-code.h"

/* limit of the watchpoints that are handled for a task, which has four debug registers */
#define PER_TASK  8
#define ICEBP     0xf1 /* opcode of icebp, which has no operands */
#define TASKS     16   /* tasks handled at a time */
#define DOORBELLS 16   /* doorbells handled at a time for a new thread */

struct watchpoint {
	struct kref references; /* one for the doorbell's list, and one for each user */
	struct list_head of_doorbell;
	struct hlist_node of_task; /* in `table` */
	struct task_struct *task;  /* holds a reference */
	struct dw_doorbell *doorbell;
	struct perf_event *event;
	struct rcu_head rcu;
};

/*
 * Watchpoints by task. `lock` is taken in process context, in tracepoints (with preemption
 * off) and in debug exceptions from user space. A holder of the lock is never interrupted
 * by code that takes it.
 */
static DEFINE_HASHTABLE(table, 8);
static DEFINE_SPINLOCK(lock);

/* --- the value stored --- */

static enum dw_store_kind decode(struct pt_regs *regs, unsigned long at, u32 *value)
{
	struct dw_store_registers registers;
	enum dw_store_kind kind;
	u8 code[DW_CODE_BEFORE];
	size_t n = dw_user_code_before(code, regs->ip);

	dw_user_registers(regs, &registers);
	kind = n ? dw_store_decode(code, n, &registers, at, value) : DW_STORE_UNKNOWN;
	if (kind == DW_STORE_UNKNOWN) {
		n = dw_user_code_at(code, regs->ip);
		kind = n ? dw_store_decode_repeated(code, n, &registers, at, value)
			 : DW_STORE_UNKNOWN;
	}
	return kind;
}

/* --- handler --- */

/*
 * Returns whether the doorbell is still mapped in the current mm. If it is not, its address
 * may belong to another mapping.
 */
static bool is_live(const struct watchpoint *watchpoint)
{
	const struct dw_doorbell *doorbell = watchpoint->doorbell;

	return !test_bit(DW_DOORBELL_UNMAPPED, &doorbell->state) &&
	       current->mm == doorbell->mapping->mm;
}

/*
 * Runs in the storing thread right after the store, in an exception from user space with
 * interrupts off.
 */
static void report(const struct watchpoint *watchpoint, struct pt_regs *regs)
{
	const struct dw_doorbell *doorbell = watchpoint->doorbell;
	bool known;
	u32 value = 0;

	known = decode(regs, doorbell->at, &value) == DW_STORE_VALUE;
	dw_doorbell_written(doorbell, "watchpoint", regs->ip, known, value);
	dw_run_end_soon(doorbell->mapping->process);
}

static void triggered(struct perf_event *event, struct perf_sample_data *data,
		      struct pt_regs *regs)
{
	const struct watchpoint *watchpoint = event->overflow_handler_context;

	if (is_live(watchpoint)) {
		report(watchpoint, regs);
	}
}

/* --- traps without a cause --- */

/* Collects watchpoints of the current task; returns their number. `lock` is held. */
static size_t find_current(struct watchpoint **out, size_t capacity)
{
	struct watchpoint *watchpoint;
	size_t n = 0;

	hash_for_each_possible(table, watchpoint, of_task, (unsigned long)current) {
		if (watchpoint->task == current && n < capacity) {
			out[n++] = watchpoint;
		}
	}
	return n;
}

static bool is_icebp(unsigned long at)
{
	u8 code = 0;

	return !copy_from_user_nofault(&code, (void __user *)at, 1) && code == ICEBP;
}

/*
 * After the trap of a program's own icebp, ip is the address after the instruction. On some
 * virtual machines (seen on an AMD host under KVM) ip is the instruction's own address, and
 * the instruction runs again.
 */
static bool is_from_icebp(const struct pt_regs *regs)
{
	return is_icebp(regs->ip - 1) || is_icebp(regs->ip);
}

/*
 * Returns how many debug registers of this CPU are in use. Writes to *there how many of
 * them watch any of the 4 bytes at `word`.
 */
static unsigned int count_registers(unsigned long word, unsigned int *there)
{
	static const u8 lengths[] = {1, 2, 8, 4}; /* as encoded in DR7 */
	unsigned int n = 0;
	unsigned long control;

	*there = 0;
	get_debugreg(control, 7);
	for (int i = 0; i < HBP_NUM; i++) {
		unsigned int field = DR_CONTROL_SHIFT + i * DR_CONTROL_SIZE;
		unsigned int length = lengths[control >> (field + 2) & 3];
		unsigned long at;

		if (!(control & (3ul << (i * DR_ENABLE_SIZE)))) {
			continue;
		}
		switch (i) {
		case 0: get_debugreg(at, 0); break;
		case 1: get_debugreg(at, 1); break;
		case 2: get_debugreg(at, 2); break;
		default: get_debugreg(at, 3); break;
		}
		n++;
		*there += at < word + 4 && at + length > word;
	}
	return n;
}

/*
 * Attributes a trap without a cause to one of the task's watchpoints ours[0..n) and reports
 * a doorbell; the doorbells of ours[0..live) are still mapped. Counts the trap as `untold`
 * if the store cannot be decoded and there are several watchpoints. Returns false if the
 * trap must be passed to other handlers: it has, or may have, another origin, or a debugger
 * needs it, too.
 */
static bool explain(struct watchpoint **ours, size_t n, size_t live, struct pt_regs *regs)
{
	struct watchpoint *stored = NULL;
	struct watchpoint *likely = NULL;
	unsigned int there;
	unsigned int used;

	/* Find the doorbell that the instruction before ip has stored to. */
	for (size_t i = 0; !stored && i < live; i++) {
		u32 value;

		switch (decode(regs, ours[i]->doorbell->at, &value)) {
		case DW_STORE_VALUE: stored = ours[i]; break;
		case DW_STORE_MEMORY: likely = ours[i]; break;
		case DW_STORE_UNKNOWN: break;
		}
	}
	if (!stored && likely && !is_from_icebp(regs)) {
		stored = likely;
	}
	if (!stored) {
		used = count_registers(0, &there);
		if (!n || used > n || is_from_icebp(regs) || regs->flags & X86_EFLAGS_TF) {
			return false;
		}
		if (n > 1 && live) {
			dw_count(untold);
		}
		if (n > 1 || !live) {
			return true;
		}
		stored = ours[0];
	}
	dw_count(causeless);
	report(stored, regs);
	/*
	 * A debugger or recorder that watches the same word or single-steps must get the
	 * trap, too. If the other watcher is a perf event, no handler takes the trap and
	 * the program dies, as it would without this module.
	 */
	count_registers(stored->doorbell->at, &there);
	return there < 2 && !(regs->flags & X86_EFLAGS_TF);
}

/*
 * On some virtual machines, DR6 is lost on its way to the guest. The kernel mistakes a
 * debug exception with an empty DR6 for an icebp and sends SIGTRAP, which kills the
 * program. This handler stops such an exception if a breakpoint of a doorbell has caused
 * it. The kernel has already handled its own breakpoints and cleared their bits of *dr6;
 * virtual_dr6 has the bits of a debugger's breakpoints.
 *
 * Interrupts are off, so no watchpoint of an open doorbell is removed meanwhile: clear()
 * waits for this CPU. A watchpoint that was removed before stays allocated until the
 * handler returns (RCU).
 */
static int on_debug_exception(struct notifier_block *block, unsigned long what, void *data)
{
	struct die_args *args = data;
	const unsigned long *dr6 = (const unsigned long *)args->err;
	struct watchpoint *ours[PER_TASK];
	size_t live = 0;
	size_t n;

	if (what != DIE_DEBUG || !user_mode(args->regs) || *dr6 ||
	    current->thread.virtual_dr6) {
		return NOTIFY_DONE;
	}
	spin_lock(&lock);
	n = find_current(ours, PER_TASK);
	spin_unlock(&lock);
	for (size_t i = 0; i < n; i++) {
		if (is_live(ours[i])) {
			swap(ours[live], ours[i]);
			live++;
		}
	}
	return explain(ours, n, live, args->regs) ? NOTIFY_STOP : NOTIFY_DONE;
}

static struct notifier_block debug_exceptions = {.notifier_call = on_debug_exception};

/* --- set and clear --- */

static void destroy(struct kref *references)
{
	struct watchpoint *watchpoint =
		container_of(references, struct watchpoint, references);

	put_task_struct(watchpoint->task);
	kfree_rcu(watchpoint, rcu);
}

static void put(struct watchpoint *watchpoint)
{
	kref_put(&watchpoint->references, destroy);
}

/*
 * Returns whether the task has a watchpoint of the doorbell. The answer may be outdated at
 * once unless the doorbell's lock is held.
 */
static bool is_set(const struct dw_doorbell *doorbell, const struct task_struct *task)
{
	const struct watchpoint *watchpoint;
	bool found = false;

	spin_lock(&lock);
	hash_for_each_possible(table, watchpoint, of_task, (unsigned long)task) {
		found = found ||
			(watchpoint->task == task && watchpoint->doorbell == doorbell);
	}
	spin_unlock(&lock);
	return found;
}

/*
 * Sets a task's breakpoint for a doorbell, unless the task has one. Returns 0 or a negative
 * errno; -ENOSPC if no debug register is free. Process context; the doorbell's lock is
 * held.
 */
static int set(struct dw_doorbell *doorbell, struct task_struct *task)
{
	struct perf_event_attr attr;
	struct watchpoint *watchpoint;
	struct perf_event *event;

	lockdep_assert_held(&doorbell->lock);
	if (is_set(doorbell, task)) {
		return 0;
	}
	watchpoint = kzalloc(sizeof(*watchpoint), GFP_KERNEL_ACCOUNT);
	if (!watchpoint) {
		return -ENOMEM;
	}
	kref_init(&watchpoint->references);
	INIT_LIST_HEAD(&watchpoint->of_doorbell);
	watchpoint->doorbell = doorbell;
	watchpoint->task = get_task_struct(task);
	/*
	 * Adds the watchpoint before its breakpoint is set, so that a trap without a cause
	 * finds it.
	 */
	spin_lock(&lock);
	hash_add(table, &watchpoint->of_task, (unsigned long)task);
	spin_unlock(&lock);
	hw_breakpoint_init(&attr);
	attr.bp_addr = doorbell->at;
	attr.bp_len = HW_BREAKPOINT_LEN_4;
	attr.bp_type = HW_BREAKPOINT_W;
	attr.exclude_kernel = 1;
	event = register_user_hw_breakpoint(&attr, triggered, watchpoint, watchpoint->task);
	if (IS_ERR(event)) {
		spin_lock(&lock);
		hash_del(&watchpoint->of_task);
		spin_unlock(&lock);
		put(watchpoint);
		return PTR_ERR(event);
	}
	watchpoint->event = event;
	list_add(&watchpoint->of_doorbell, &doorbell->watchpoints);
	return 0;
}

/*
 * unregister_hw_breakpoint() sends an interrupt to the CPU on which a handler runs, and so
 * waits for the handler. The watchpoint stays in the table until its register is free, so
 * that a trap without a cause is still recognised.
 */
static void clear(struct watchpoint *watchpoint)
{
	lockdep_assert_held(&watchpoint->doorbell->lock);
	list_del_init(&watchpoint->of_doorbell);
	unregister_hw_breakpoint(watchpoint->event);
	spin_lock(&lock);
	hash_del(&watchpoint->of_task);
	spin_unlock(&lock);
	put(watchpoint);
}

void dw_watchpoint_clear(struct dw_doorbell *doorbell)
{
	struct watchpoint *watchpoint;
	struct watchpoint *next;

	list_for_each_entry_safe(watchpoint, next, &doorbell->watchpoints, of_doorbell) {
		clear(watchpoint);
	}
}

/* --- existing threads --- */

static void say_once(int error)
{
	if (error == -ENOSPC) {
		dw_count(no_register);
		pr_warn_once(
			"no debug register is free (a thread has four): doorbells that are "
			"not watched are counted in no_register\n");
	} else {
		dw_count(not_watched);
		pr_warn_once("cannot watch a thread: error %d\n", error);
	}
}

/* A task's creation time (ns) and pid, which together are unique. */
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
 * Collects up to TASKS tasks of the doorbell's mm that are younger than `tried` and have no
 * watchpoint for the doorbell: the oldest of them, sorted by age, the oldest first. Takes a
 * reference to each. The doorbell's lock is held.
 */
static size_t collect_tasks(const struct dw_doorbell *doorbell, struct task_struct **out,
			    struct age tried)
{
	struct task_struct *process;
	struct task_struct *task;
	size_t n = 0;
	size_t at;

	rcu_read_lock();
	for_each_process_thread(process, task) {
		if (task->mm != doorbell->mapping->mm ||
		    (task->flags & (PF_EXITING | PF_KTHREAD)) ||
		    !is_older(tried, age_of(task)) || is_set(doorbell, task)) {
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
 * Visits all threads once, oldest first. A thread created meanwhile is not missed: either
 * the fork's tracepoint finds the doorbell in the list of open doorbells, or the thread
 * existed before the search. Closed doorbells keep their debug registers until a worker has
 * run, so the workers are flushed first.
 */
void dw_threads_arm(struct dw_doorbell *doorbell)
{
	struct task_struct *tasks[TASKS];
	struct age tried = {0};
	int first = 0;
	size_t n;

	flush_workqueue(dw_workers);
	mutex_lock(&doorbell->lock);
	while (!test_bit(DW_DOORBELL_UNMAPPED, &doorbell->state) &&
	       (n = collect_tasks(doorbell, tasks, tried)) > 0) {
		tried = age_of(tasks[n - 1]);
		for (size_t i = 0; i < n; i++) {
			int error = set(doorbell, tasks[i]);

			if (!first && !(tasks[i]->flags & PF_EXITING)) {
				first = error;
			}
			put_task_struct(tasks[i]);
		}
	}
	mutex_unlock(&doorbell->lock);
	if (first) {
		say_once(first);
	}
}

/* --- threads that start and end --- */

/* Runs in a new thread before its first instruction. */
static void join(void *nothing, u64 unused)
{
	struct dw_doorbell *found[DOORBELLS];
	size_t seen = 0;
	size_t n;

	do {
		n = current->mm ? dw_doorbells_of_current(found, DOORBELLS, seen) : 0;
		for (size_t i = 0; i < n; i++) {
			struct dw_doorbell *doorbell = found[i];
			int error = 0;

			/*
			 * A doorbell with a shadow needs no breakpoint. When it leaves its
			 * shadow, DW_DOORBELL_REAL is set first and then all threads are
			 * visited, so this thread is not missed.
			 */
			if (!DW_PLANT_LOST_LOCK) {
				mutex_lock(&doorbell->lock);
			}
			if (!test_bit(DW_DOORBELL_UNMAPPED, &doorbell->state) &&
			    test_bit(DW_DOORBELL_REAL, &doorbell->state)) {
				error = set(doorbell, current);
			}
			if (!DW_PLANT_LOST_LOCK) {
				mutex_unlock(&doorbell->lock);
			}
			if (error) {
				say_once(error);
			}
			dw_mapping_put(doorbell->mapping);
		}
		seen += n;
	} while (n == DOORBELLS);
}

void dw_threads_fork(struct task_struct *child)
{
	/*
	 * The child is already in the kernel's list of tasks: if a doorbell gets its device
	 * page after this check, dw_threads_arm() finds the child there.
	 */
	if (dw_doorbells_any_real(child->mm) &&
	    dw_defer_call(child, GFP_ATOMIC, join, NULL, 0)) {
		dw_count(not_watched);
	}
}

/* Clears the watchpoints of the current task. */
static void leave(void *nothing, u64 unused)
{
	struct watchpoint *ours[PER_TASK];
	size_t found;
	size_t n = 0;

	/* Collects watchpoints, with a reference to each and to its mapping. */
	spin_lock(&lock);
	found = find_current(ours, PER_TASK);
	for (size_t i = 0; i < found; i++) {
		/*
		 * A mapping without references is being released, which clears its
		 * watchpoints.
		 */
		if (kref_get_unless_zero(&ours[i]->doorbell->mapping->references)) {
			kref_get(&ours[i]->references);
			ours[n++] = ours[i];
		}
	}
	spin_unlock(&lock);
	for (size_t i = 0; i < n; i++) {
		struct dw_doorbell *doorbell = ours[i]->doorbell;

		mutex_lock(&doorbell->lock);
		if (!list_empty(&ours[i]->of_doorbell)) {
			clear(ours[i]);
		}
		mutex_unlock(&doorbell->lock);
		dw_mapping_put(doorbell->mapping);
		put(ours[i]);
	}
}

void dw_threads_leave(void)
{
	struct watchpoint *first;
	size_t n;

	spin_lock(&lock);
	n = find_current(&first, 1);
	spin_unlock(&lock);
	if (n) {
		/* If this fails, the watchpoints stay until their doorbell closes. */
		dw_defer_call(current, GFP_ATOMIC, leave, NULL, 0);
	}
}

/* --- load and unload --- */

int dw_watchpoint_init(void)
{
	return register_die_notifier(&debug_exceptions);
}

void dw_watchpoint_exit(void)
{
	unregister_die_notifier(&debug_exceptions);
}
