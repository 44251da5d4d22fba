// SPDX-License-Identifier: GPL-2.0
/*
 * Around a driver's mmap by ftrace: calls of the function are sent to ours, which calls it.
 * It needs a kernel with dynamic ftrace with registers, and nobody else who redirects the
 * same function (a live patch). No trap, and no limit of calls at once.
 */
#include <linux/ftrace.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include <linux/version.h>
#include <linux/wait.h>

#include "watch/hooks/hook.h"
#include "watch/mapping/made.h"

#ifdef CONFIG_DYNAMIC_FTRACE_WITH_REGS

typedef int mmap_function(struct file *file, struct vm_area_struct *vma);

static struct slot {
	mmap_function *function; /* the driver's */
	atomic_t under_way;
	struct ftrace_ops ops;
} slots[DW_HOOKS];

static DECLARE_WAIT_QUEUE_HEAD(returned);

/* Not inlined, and no tail call of the driver's function: it must see us as its caller. */
static noinline int around(struct slot *slot, struct file *file, struct vm_area_struct *vma)
{
	int error;

	atomic_inc(&slot->under_way);
	error = slot->function(file, vma);
	dw_mapping_made(file, vma, error);
	if (atomic_dec_and_test(&slot->under_way)) {
		wake_up_all(&returned);
	}
	return error;
}

/* ftrace can hand on no argument: a function for each slot. */
#define REPLACEMENT(n)                                                                     \
	static int replacement_##n(struct file *file, struct vm_area_struct *vma)          \
	{                                                                                  \
		return around(&slots[n], file, vma);                                       \
	}
REPLACEMENT(0)
REPLACEMENT(1)
REPLACEMENT(2)
REPLACEMENT(3)
static mmap_function *const replacements[DW_HOOKS] = {
	replacement_0,
	replacement_1,
	replacement_2,
	replacement_3,
};

#if LINUX_VERSION_CODE >= KERNEL_VERSION(5, 11, 0)
#define OPS_FLAGS                                                                          \
	(FTRACE_OPS_FL_SAVE_REGS | FTRACE_OPS_FL_IPMODIFY | FTRACE_OPS_FL_RECURSION)
static void notrace redirect(unsigned long ip, unsigned long parent_ip,
			     struct ftrace_ops *ops, struct ftrace_regs *fregs)
{
	struct pt_regs *regs = ftrace_get_regs(fregs);
#else
#define OPS_FLAGS (FTRACE_OPS_FL_SAVE_REGS | FTRACE_OPS_FL_IPMODIFY)
static void notrace redirect(unsigned long ip, unsigned long parent_ip,
			     struct ftrace_ops *ops, struct pt_regs *regs)
{
#endif
	struct slot *slot = container_of(ops, struct slot, ops);

	if (!within_module(parent_ip, THIS_MODULE)) {
		instruction_pointer_set(regs, (unsigned long)replacements[slot - slots]);
	}
}

static int attach(struct dw_hook *hook)
{
	struct slot *slot = &slots[hook->slot];
	int error;

	memset(&slot->ops, 0, sizeof(slot->ops));
	slot->function = (mmap_function *)hook->address;
	slot->ops.func = redirect;
	slot->ops.flags = OPS_FLAGS;
	error = ftrace_set_filter_ip(&slot->ops, hook->address, 0, 0);
	if (!error) {
		error = register_ftrace_function(&slot->ops);
		if (error) {
			ftrace_set_filter_ip(&slot->ops, hook->address, 1, 0);
		}
	}
	return error;
}

/*
 * No call is sent to us any more, then: those that were, but have not yet said so, get on
 * (RCU tasks: a task that was preempted there), all return, and their last instructions are
 * behind them.
 */
static void detach(struct dw_hook *hook)
{
	struct slot *slot = &slots[hook->slot];

	unregister_ftrace_function(&slot->ops);
	ftrace_set_filter_ip(&slot->ops, hook->address, 1, 0);
	synchronize_rcu_tasks();
	wait_event(returned, atomic_read(&slot->under_way) == 0);
	synchronize_rcu_tasks();
}

#else

static int attach(struct dw_hook *hook)
{
	return -EOPNOTSUPP;
}

static void detach(struct dw_hook *hook)
{
}

#endif

const struct dw_hook_kind dw_hook_ftrace = {
	.name = "ftrace",
	.attach = attach,
	.detach = detach,
};
