/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Around a driver's mmap: after it has returned, dw_mapping_made() is called. Functions are
 * named by symbols; they may come and go with their module.
 */
#ifndef DW_HOOK_H
#define DW_HOOK_H

#include <linux/types.h>

#include "watch/process/driver.h"

struct dw_hook {
	const char *symbol;
	unsigned int slot;     /* which of DW_HOOKS it is */
	unsigned long address; /* 0: not there now */
	void *of_kind;         /* Owned by the kind, while attached */
};

/* A way to stand around a function. */
struct dw_hook_kind {
	const char *name;
	int (*attach)(struct dw_hook *hook); /* may sleep */
	/* When it returns nothing of the kind runs any more for this hook. */
	void (*detach)(struct dw_hook *hook);
};

extern const struct dw_hook_kind dw_hook_kretprobe;
extern const struct dw_hook_kind dw_hook_ftrace;

int dw_hook_init(void);
void dw_hook_exit(void);
#endif
