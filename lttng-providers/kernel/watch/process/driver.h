/* SPDX-License-Identifier: GPL-2.0 */
/* The driver whose mmap is hooked: which modules it is, and its version. */
#ifndef DW_DRIVER_H
#define DW_DRIVER_H

#include <linux/types.h>

#define DW_HOOKS 4 /* functions of drivers that are hooked at most */

struct file_operations;

void dw_driver_init(void);

/* The function at that address is hooked, which is one of DW_HOOKS; or is no longer. */
void dw_driver_hooked(unsigned int slot, unsigned long address);
void dw_driver_unhooked(unsigned int slot);

/* Version of the module that owns a hooked function, "" if none does. version[n]. */
const char *dw_driver_version(char *version, size_t n);

/*
 * Whether a device's operations are those of a module whose mmap is hooked. Any context;
 * the module may be going, and its memory with it.
 */
bool dw_driver_owns(const struct file_operations *operations);

#endif
