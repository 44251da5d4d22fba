// SPDX-License-Identifier: GPL-2.0
/*
 * Raises a debug exception for which the CPU reports no cause, as on some virtual machines.
 * Calls the notifiers as the kernel would for the calling thread, with an instruction
 * pointer of the caller's choice.
 */
#include <linux/kdebug.h>
#include <linux/kprobes.h>
#include <linux/sched/task_stack.h>
#include <linux/static_call.h>
#include <linux/uaccess.h>

#include "gpusim.h"

/*
 * The kernel does not export these functions; watch/base/symbols.h explains the static
 * calls.
 */
DEFINE_STATIC_CALL_NULL(gpusim_lookup, unsigned long(const char *name));
DEFINE_STATIC_CALL_NULL(gpusim_notify,
			int(enum die_val value, const char *name, struct pt_regs *regs,
			    long err, int trap, int signal));

int gpusim_trap_init(void)
{
	struct kprobe probe = {.symbol_name = "kallsyms_lookup_name"};
	int error = register_kprobe(&probe);

	if (error) {
		return error;
	}
	static_call_update(gpusim_lookup, (void *)probe.addr);
	unregister_kprobe(&probe);
	static_call_update(gpusim_notify, (void *)static_call(gpusim_lookup)("notify_die"));
	return static_call_query(gpusim_notify) ? 0 : -ENOENT;
}

long gpusim_trap(struct bare_trap __user *at)
{
	struct pt_regs regs = *task_pt_regs(current);
	struct bare_trap asked;
	unsigned long dr6;

	if (copy_from_user(&asked, at, sizeof(asked))) {
		return -EFAULT;
	}
	regs.ip = asked.ip;
	regs.flags |= asked.flags;
	dr6 = asked.dr6;
	local_irq_disable();
	current->thread.virtual_dr6 = 0;
	asked.taken = static_call(gpusim_notify)(DIE_DEBUG, "debug", &regs, (long)&dr6, 0,
						 SIGTRAP) == NOTIFY_STOP;
	local_irq_enable();
	return copy_to_user(at, &asked, sizeof(asked)) ? -EFAULT : 0;
}
