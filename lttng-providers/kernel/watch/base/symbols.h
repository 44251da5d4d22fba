/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Finds and calls kernel functions that not every kernel exports. With indirect-branch
 * tracking (CONFIG_X86_KERNEL_IBT) the kernel removes ENDBR from functions that it never
 * calls through a pointer, and crashes if a module calls such a function through a pointer.
 * Static calls are direct calls, so they work:
 *
 * 	DEFINE_STATIC_CALL_NULL(dw_example, int(struct task_struct *task));
 * 	DW_FIND(dw_example, "example");
 * 	if (static_call_query(dw_example)) {
 * 		error = static_call(dw_example)(task);
 * 	}
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

/*
 * Returns the address of a symbol of the kernel ("name") or of a module ("module:name"), or
 * 0 if there is none.
 */
unsigned long dw_symbol(const char *name);

/* Sets the target of the static call `call`. Process context, before its first use. */
#define DW_FIND(call, name) static_call_update(call, (void *)dw_symbol(name))

/*
 * task_work_add() with TWA_RESUME: `work` runs before the task returns to user space. Any
 * context.
 */
int dw_task_work_add(struct task_struct *task, struct callback_head *work);

/* A function that is registered as a probe of a kernel tracepoint. */
struct dw_listener {
	const char *name;
	void *probe;
	struct tracepoint *tracepoint; /* NULL while the probe is not registered */
};

/*
 * Registers all probes that are not registered yet. Returns 0, or a negative errno after it
 * has unregistered all.
 */
int dw_listen(struct dw_listener *listeners, size_t n);
/* Unregisters all probes and waits until none of them is running. May be called again. */
void dw_unlisten(struct dw_listener *listeners, size_t n);

/* Returns the executable of a task, with a reference for the caller, or NULL. */
struct file *dw_task_exe_file(struct task_struct *task);

#endif
