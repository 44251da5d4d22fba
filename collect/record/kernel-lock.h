/* SPDX-License-Identifier: MIT */
/*
 * The kernel's modules are one for all, and so are their parameters: one recording at a
 * time loads, sets and removes them.
 */
#ifndef KTAIL_COLLECT_KERNEL_LOCK_H
#define KTAIL_COLLECT_KERNEL_LOCK_H

#include <sys/types.h>

#define KT_KERNEL_LOCK_FILE "/run/ktail-kernel.lock"

/*
 * Takes the lock for the process `who`, which records into `output`, and says so in the
 * file. It is held until *out, which the caller owns, is closed in all who have inherited
 * it. KT_E_IO with a message that says who has it.
 */
int kt_kernel_lock_take(int *out, const char *path, pid_t who, const char *output);

/* Closes it, and empties the file: nobody is named who has ended. -1: there is none. */
void kt_kernel_lock_give(int lock);

#endif
