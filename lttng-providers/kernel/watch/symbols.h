/* SPDX-License-Identifier: GPL-2.0 */
/* Addresses of kernel functions that are not exported everywhere. */
#ifndef DW_SYMBOLS_H
#define DW_SYMBOLS_H

#include <linux/types.h>

struct callback_head;
struct file;
struct task_struct;
struct tracepoint;
struct vm_area_struct;

int dw_symbols_init(void);

/* Address of a symbol, a module's too ("name" or "module:name"); 0: there is none now. */
unsigned long dw_symbol(const char *name);

/* A tracepoint of the kernel proper, or NULL. */
struct tracepoint *dw_tracepoint(const char *name);

/* The executable of a task: a reference, or NULL. */
struct file *dw_task_exe_file(struct task_struct *task);

#endif
