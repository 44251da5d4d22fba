/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Kernel functions that are not exported everywhere: where they are, and how they are
 * called. Where indirect branches are tracked (CONFIG_X86_KERNEL_IBT) one that the kernel
 * itself calls by its name alone may not be called by a pointer: what marks it as a target
 * has been taken out, and the processor stops the kernel. Static calls are direct ones:
 *
 *	DEFINE_STATIC_CALL_NULL(dw_thing, int(struct task_struct *task));
 *	DW_FIND(dw_thing, "thing");
 *	if (static_call_query(dw_thing)) {
 *		error = static_call(dw_thing)(task);
 *	}
 */
#ifndef DW_SYMBOLS_H
#define DW_SYMBOLS_H

#include <linux/static_call.h>
#include <linux/types.h>

struct callback_head;
struct file;
struct task_struct;
struct tracepoint;
struct vm_area_struct;

int dw_symbols_init(void);

/* Address of a symbol, a module's too ("name" or "module:name"); 0: there is none now. */
unsigned long dw_symbol(const char *name);

/* Process context, before the first call. */
#define DW_FIND(call, name) static_call_update(call, (void *)dw_symbol(name))

/* task_work_add() with TWA_RESUME: before the task goes on in user space. Any context. */
int dw_task_work_add(struct task_struct *task, struct callback_head *work);

/* A function of ours that a tracepoint of the kernel proper calls, `probe`. */
struct dw_listener {
	const char *name;
	void *probe;
	struct tracepoint *tracepoint; /* NULL: it is not called */
};

/* 0, or a negative errno: then none of them is called. Again: nothing. */
int dw_listen(struct dw_listener *listeners, size_t n);
/* When it returns no call of them is under way. Again: nothing. */
void dw_unlisten(struct dw_listener *listeners, size_t n);

/* The executable of a task: a reference, or NULL. */
struct file *dw_task_exe_file(struct task_struct *task);

#endif
