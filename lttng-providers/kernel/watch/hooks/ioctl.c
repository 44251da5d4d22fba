// SPDX-License-Identifier: GPL-2.0
/*
 * Reports ioctl and open calls. A kprobe at the entry of a call adds task work, which runs
 * after the call has returned and before the task is back in the program. At that time the
 * result is known, and user memory may be read with page faults. The first bytes of the
 * argument are also read at the entry, where page faults are not allowed: the program has
 * usually just written these bytes, so they are in memory.
 *
 * While a task sleeps in the driver, no function of this module is on its stack, so the
 * module can be unloaded at any time. A wrapper around the system call would be on the
 * stack. Drivers recognise their files by file_operations, so replaced file_operations
 * would confuse a driver. A kretprobe would limit concurrent calls, and its handler must
 * not sleep.
 */
#include "watch/hooks/hooks.h"

#include <linux/compat.h>
#include <linux/file.h>
#include <linux/hashtable.h>
#include <linux/kprobes.h>
#include <linux/ktime.h>
#include <linux/module.h>
#include <linux/sched/task_stack.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include <linux/wait.h>
#include <asm/syscall.h>

#include "watch/base/counters.h"
#include "watch/base/symbols.h"
#include "watch/process/births.h"
#include "watch/process/filter.h"
#include "watch/process/rm.h"
#include "watch/state/process.h"

#define CALL_BITS 8

static DEFINE_HASHTABLE(calls, CALL_BITS); /* struct dw_call, by task */
static DEFINE_SPINLOCK(calls_lock);
static atomic_t n_calls;
static DECLARE_WAIT_QUEUE_HEAD(no_calls);

DEFINE_STATIC_CALL_NULL(
	dw_cancel_work,
	struct callback_head *(struct task_struct *task,
			       bool (*match)(struct callback_head *, void *), void *data));

/* --- calls under way --- */

static void remove_call(struct dw_call *call)
{
	unsigned long flags;

	spin_lock_irqsave(&calls_lock, flags);
	hash_del_rcu(&call->node);
	spin_unlock_irqrestore(&calls_lock, flags);
}

static void free_call(struct dw_call *call)
{
	kfree_rcu(call, rcu);
	if (atomic_dec_and_test(&n_calls)) {
		wake_up_all(&no_calls);
	}
}

struct dw_call *dw_ioctl_current(void)
{
	struct dw_call *call;

	rcu_read_lock();
	hash_for_each_possible_rcu(calls, call, node, (unsigned long)current) {
		if (call->task == current && !call->is_open) {
			break;
		}
	}
	rcu_read_unlock();
	return call;
}

/* --- return of a call --- */

/*
 * Returns the call's result, which is -EINTR if a signal has interrupted the call, even if
 * the kernel restarts it.
 */
static long result_of_call(void)
{
	long result = syscall_get_return_value(current, task_pt_regs(current));

	return result <= -512 && result >= -516 ? -EINTR : result;
}

/*
 * Returns how many of the argument's first bytes are reported. A size of 0 in the request
 * does not mean that the call has no argument, so KT_FIRST_BYTES are reported then.
 */
static size_t size_of_argument(const struct dw_call *call)
{
	size_t size = _IOC_SIZE(call->request);

	return size && size < KT_FIRST_BYTES ? size : KT_FIRST_BYTES;
}

static void emit_entry(struct dw_process *process, struct dw_call *call,
		       const u8 bytes[KT_FIRST_BYTES], u32 count)
{
	struct kt_event_ioctl_entry event = {
		.device = call->device,
		.fd = call->fd,
		.request = call->request,
		.first = {.count = count, .bytes = bytes},
	};

	DW_EMIT(process, ioctl_entry, &event);
	call->is_emitted = true;
}

static void returned_ioctl(struct dw_process *process, struct dw_call *call)
{
	u64 now = ktime_get_ns();
	const u8 __user *from = (const u8 __user *)(unsigned long)call->argument;
	size_t size = size_of_argument(call);
	long result = result_of_call();
	u8 bytes[KT_FIRST_BYTES];
	struct kt_first_bytes first = {.bytes = bytes};
	struct kt_event_ioctl event = {
		.device = call->device,
		.fd = call->fd,
		.request = call->request,
		.result = IS_ERR_VALUE(result) ? -1 : result,
		.error = IS_ERR_VALUE(result) ? -result : 0,
		.duration = now - call->began,
	};

	first.count = size - copy_from_user(bytes, from, size);
	if (!call->is_emitted) {
		emit_entry(process, call, bytes, first.count);
	}
	dw_rm_returned(process, call->argument, &event, &first);
}

/*
 * Reports a call that has returned. If the task exits within the call, this work runs
 * although the call never returns, so nothing is reported.
 */
static void call_returned(struct callback_head *work)
{
	struct dw_call *call = container_of(work, struct dw_call, work);
	bool is_wanted = !(current->flags & PF_EXITING) && current->mm;
	struct dw_process *process = NULL;

	remove_call(call);
	if (is_wanted && call->is_unsure) {
		/* Only now is the driver of the opened file known: ask the filter again. */
		long fd = result_of_call();
		struct file *file = fd < 0 ? NULL : fget(fd);

		is_wanted = file && dw_filter_file(file);
		if (file) {
			fput(file);
		}
	}
	if (is_wanted) {
		process = dw_process_get_current(true);
	}
	if (process && call->is_open) {
		long result = result_of_call();
		struct kt_event_device_open event = {
			.device = call->device,
			.fd = IS_ERR_VALUE(result) ? -1 : result,
			.error = IS_ERR_VALUE(result) ? -result : 0,
		};

		DW_EMIT(process, device_open, &event);
	} else if (process) {
		returned_ioctl(process, call);
	}
	if (process) {
		dw_process_put(process);
	}
	free_call(call);
}

/* --- entry of a call: preemption is off --- */

/*
 * Begins to follow a call of the current task, or returns NULL if this fails. If memory is
 * short, the call is not recorded but takes a sequence number all the same, so that the
 * trace shows a gap.
 */
static struct dw_call *begin_call(const struct file *file, bool is_open)
{
	struct dw_call *call = kzalloc(sizeof(*call), GFP_ATOMIC | __GFP_NOWARN);
	struct dw_process *process;
	unsigned long flags;

	if (!call) {
		dw_count(lost);
		rcu_read_lock();
		process = dw_process_peek(current);
		if (process) {
			dw_process_head(process);
		}
		rcu_read_unlock();
		return NULL;
	}
	call->task = current;
	call->is_open = is_open;
	/*
	 * The file's name can be read in any context. If a rename changes the name
	 * meanwhile, the copy may be wrong, but it ends within call->device.
	 */
	rcu_read_lock();
	strscpy(call->device, (const char *)READ_ONCE(file->f_path.dentry->d_name.name),
		DW_DEVICE_MAX);
	rcu_read_unlock();
	call->began = ktime_get_ns();
	init_task_work(&call->work, call_returned);
	atomic_inc(&n_calls);
	spin_lock_irqsave(&calls_lock, flags);
	hash_add_rcu(calls, &call->node, (unsigned long)call->task);
	spin_unlock_irqrestore(&calls_lock, flags);
	if (dw_task_work_add(current, &call->work)) {
		remove_call(call);
		free_call(call);
		return NULL; /* the task is exiting */
	}
	return call;
}

/* Returns whether calls of the current task are traced. */
static bool is_wanted(void)
{
	bool is_traced;

	if (current->flags & (PF_KTHREAD | PF_IO_WORKER | PF_EXITING)) {
		return false;
	}
	rcu_read_lock();
	is_traced = dw_process_peek(current);
	rcu_read_unlock();
	return is_traced || dw_filter_task(current);
}

/*
 * Copies the first bytes of the argument, but stops before a page that is not in memory.
 * Returns the number of bytes.
 */
static u32 read_bytes_now(u8 bytes[KT_FIRST_BYTES], const struct dw_call *call)
{
	const u8 __user *from = (const u8 __user *)(unsigned long)call->argument;
	size_t size = size_of_argument(call);
	size_t in_page = PAGE_SIZE - offset_in_page(call->argument);

	if (copy_from_user_nofault(bytes, from, size) == 0) {
		return size;
	}
	size = min(size, in_page);
	return copy_from_user_nofault(bytes, from, size) == 0 ? size : 0;
}

static void entered_ioctl(unsigned int fd, u64 request, u64 argument)
{
	struct dw_call *call = NULL;
	/* fget() takes a reference, because another thread may close the descriptor. */
	struct file *file = is_wanted() ? fget(fd) : NULL;
	struct dw_process *process;
	u8 bytes[KT_FIRST_BYTES];

	if (file) {
		if (dw_filter_file(file)) {
			call = begin_call(file, false); /* copies the file's name */
		}
		fput(file);
	}
	if (!call) {
		return;
	}
	call->fd = fd;
	call->request = request;
	call->argument = argument;
	/*
	 * If the process is not traced yet, returned_ioctl() emits the entry event after
	 * the call's return.
	 */
	rcu_read_lock();
	process = dw_process_peek(current);
	if (process) {
		emit_entry(process, call, bytes, read_bytes_now(bytes, call));
	}
	rcu_read_unlock();
}

/* The entry function of a system call has one argument: the user's registers. */
static int on_ioctl(struct kprobe *probe, struct pt_regs *regs)
{
	const struct pt_regs *user = (const struct pt_regs *)regs->di;

	entered_ioctl(user->di, (unsigned int)user->si, user->dx);
	return 0;
}

static int on_ioctl_x32(struct kprobe *probe, struct pt_regs *regs)
{
	const struct pt_regs *user = (const struct pt_regs *)regs->di;

	entered_ioctl(user->di, (unsigned int)user->si, (u32)user->dx);
	return 0;
}

static int on_ioctl_ia32(struct kprobe *probe, struct pt_regs *regs)
{
	const struct pt_regs *user = (const struct pt_regs *)regs->di;

	entered_ioctl(user->bx, (unsigned int)user->cx, (u32)user->dx);
	return 0;
}

/* chrdev_open(inode, file): a character device is being opened. */
static int on_open(struct kprobe *probe, struct pt_regs *regs)
{
	const struct inode *inode = (struct inode *)regs->di;
	struct file *file = (struct file *)regs->si;
	bool is_known = dw_filter_file(file);
	struct dw_call *call = NULL;

	dw_rm_file_is_new(file);
	/*
	 * Before the first open of a device file (i_cdev is NULL), its driver is not known,
	 * so call_returned() asks the filter again.
	 */
	if ((is_known || !READ_ONCE(inode->i_cdev)) && is_wanted()) {
		call = begin_call(file, true);
	}
	if (call) {
		call->is_unsure = !is_known;
	}
	return 0;
}

/* --- load and unload --- */

static struct {
	struct kprobe probe;
	bool is_optional;
	bool is_registered;
} probes[] = {
	{.probe = {.symbol_name = "__x64_sys_ioctl", .pre_handler = on_ioctl}},
	{.probe = {.symbol_name = "__ia32_compat_sys_ioctl", .pre_handler = on_ioctl_ia32},
	 .is_optional = true},
	{.probe = {.symbol_name = "__x64_compat_sys_ioctl", .pre_handler = on_ioctl_x32},
	 .is_optional = true},
	{.probe = {.symbol_name = "chrdev_open", .pre_handler = on_open}},
};

static void unregister_probes(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(probes); i++) {
		if (probes[i].is_registered) {
			unregister_kprobe(&probes[i].probe);
			probes[i].is_registered = false;
		}
	}
}

int dw_ioctl_init(void)
{
	DW_FIND(dw_cancel_work, "task_work_cancel_match");
	for (size_t i = 0; i < ARRAY_SIZE(probes); i++) {
		int code = register_kprobe(&probes[i].probe);

		if (code && !probes[i].is_optional) {
			pr_err("cannot probe %s: error %d\n", probes[i].probe.symbol_name,
			       code);
			unregister_probes();
			return code;
		}
		probes[i].is_registered = !code;
	}
	return 0;
}

static bool is_same(struct callback_head *work, void *data)
{
	return work == data;
}

/*
 * Cancels the task work of calls under way, because their tasks may sleep in the driver
 * forever.
 */
void dw_ioctl_exit(void)
{
	struct task_struct *task;
	struct dw_call *found;
	struct dw_call *call;
	unsigned long flags;
	int bucket;

	unregister_probes();
	do {
		found = NULL;
		rcu_read_lock();
		if (static_call_query(dw_cancel_work)) {
			/*
			 * Pick a call whose task is still in the kernel, and take a
			 * reference to the task. The call may return at any time, but
			 * rcu_read_lock() keeps the memory of `found` from being reused, so
			 * is_same() cannot match a later call.
			 */
			spin_lock_irqsave(&calls_lock, flags);
			hash_for_each(calls, bucket, call, node) {
				found = call;
			}
			if (found) {
				task = get_task_struct(found->task);
				hash_del_rcu(&found->node);
			}
			spin_unlock_irqrestore(&calls_lock, flags);
		}
		if (found) {
			if (static_call(dw_cancel_work)(task, is_same, &found->work)) {
				free_call(found);
			}
			put_task_struct(task);
		}
		rcu_read_unlock();
	} while (found);
	wait_event(no_calls, atomic_read(&n_calls) == 0);
}
