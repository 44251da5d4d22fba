// SPDX-License-Identifier: GPL-2.0
#include "watch/symbols.h"

#include <linux/kprobes.h>
#include <linux/sched.h>
#include <linux/string.h>
#include <linux/tracepoint.h>

static unsigned long (*lookup)(const char *name);
static struct file *(*task_exe_file)(struct task_struct *task);

/* The kernel exports no way to ask for a symbol since 5.7, but kprobes still ask. */
int dw_symbols_init(void)
{
	struct kprobe probe = {.symbol_name = "kallsyms_lookup_name"};
	int error = register_kprobe(&probe);

	if (error) {
		pr_err("find kallsyms_lookup_name: error %d (are kprobes in this "
		       "kernel?)\n",
		       error);
		return error;
	}
	lookup = (void *)probe.addr;
	unregister_kprobe(&probe);
	task_exe_file = (void *)dw_symbol("get_task_exe_file");
	return 0;
}

unsigned long dw_symbol(const char *name)
{
	return lookup(name);
}

struct file *dw_task_exe_file(struct task_struct *task)
{
	return task_exe_file ? task_exe_file(task) : NULL;
}

struct asked {
	const char *name;
	struct tracepoint *found;
};

static void compare(struct tracepoint *tracepoint, void *context)
{
	struct asked *asked = context;

	if (strcmp(tracepoint->name, asked->name) == 0) {
		asked->found = tracepoint;
	}
}

struct tracepoint *dw_tracepoint(const char *name)
{
	struct asked asked = {.name = name};

	for_each_kernel_tracepoint(compare, &asked);
	return asked.found;
}
