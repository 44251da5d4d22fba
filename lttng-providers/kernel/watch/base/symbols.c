// SPDX-License-Identifier: GPL-2.0
#include "watch/base/symbols.h"

#include <linux/kprobes.h>
#include <linux/sched.h>
#include <linux/string.h>
#include <linux/task_work.h>
#include <linux/tracepoint.h>

DEFINE_STATIC_CALL_NULL(dw_lookup, unsigned long(const char *name));
DEFINE_STATIC_CALL_NULL(dw_exe_file, struct file *(struct task_struct *task));
DEFINE_STATIC_CALL_NULL(dw_add_work,
			int(struct task_struct *task, struct callback_head *work, int how));

/*
 * The kernel has exported no symbol lookup since 5.7, but a kprobe still resolves a name.
 * With indirect-branch tracking, the kprobe's address is that of the instruction after
 * ENDBR, which can be called as well.
 */
int dw_symbols_init(void)
{
	struct kprobe probe = {.symbol_name = "kallsyms_lookup_name"};
	int error = register_kprobe(&probe);

	if (error) {
		pr_err("cannot find kallsyms_lookup_name: error %d (does the kernel have "
		       "kprobes?)\n",
		       error);
		return error;
	}
	static_call_update(dw_lookup, (void *)probe.addr);
	unregister_kprobe(&probe);
	DW_FIND(dw_exe_file, "get_task_exe_file");
	DW_FIND(dw_add_work, "task_work_add"); /* exported only by Debian's kernels */
	if (!static_call_query(dw_add_work)) {
		pr_err("cannot find task_work_add: the kernel has no such symbol\n");
		return -ENOENT;
	}
	return 0;
}

unsigned long dw_symbol(const char *name)
{
	return static_call(dw_lookup)(name);
}

int dw_task_work_add(struct task_struct *task, struct callback_head *work)
{
	return static_call(dw_add_work)(task, work, TWA_RESUME);
}

struct file *dw_task_exe_file(struct task_struct *task)
{
	return static_call_query(dw_exe_file) ? static_call(dw_exe_file)(task) : NULL;
}

static void compare(struct tracepoint *tracepoint, void *context)
{
	struct dw_listener *listener = context;

	if (strcmp(tracepoint->name, listener->name) == 0) {
		listener->tracepoint = tracepoint;
	}
}

int dw_listen(struct dw_listener *listeners, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		struct dw_listener *one = &listeners[i];
		int error = -ENOENT;

		if (one->tracepoint) {
			continue;
		}
		for_each_kernel_tracepoint(compare, one);
		if (one->tracepoint) {
			error = tracepoint_probe_register(one->tracepoint, one->probe,
							  NULL);
		}
		if (error) {
			pr_err("cannot attach to tracepoint %s: error %d\n", one->name,
			       error);
			one->tracepoint = NULL;
			dw_unlisten(listeners, n);
			return error;
		}
	}
	return 0;
}

void dw_unlisten(struct dw_listener *listeners, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (listeners[i].tracepoint) {
			tracepoint_probe_unregister(listeners[i].tracepoint,
						    listeners[i].probe, NULL);
			listeners[i].tracepoint = NULL;
		}
	}
	tracepoint_synchronize_unregister();
}
