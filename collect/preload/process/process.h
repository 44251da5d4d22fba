/* SPDX-License-Identifier: MIT */
/*
 * Identifies the process that the recorder's tables describe, and says whether the recorder
 * may still run in it.
 *
 * Two kinds of processes are different from it: a forked child that did not pass through
 * the recorder, and the child of a vfork, which runs in its parent's memory until its exec
 * and whose actions must not be recorded as the parent's.
 */
#ifndef KTAIL_COLLECT_PROCESS_H
#define KTAIL_COLLECT_PROCESS_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Declares that the tables describe the calling process. Call it at start and in a forked
 * child.
 */
void kt_process_begin(void);

/*
 * Both return whether the tables describe the calling process; always true after
 * kt_process_stop(). kt_process_is_own() makes no system call, and is mistaken only in a
 * child that shares this process's memory and was made by the program's own instructions,
 * or by a function that was looked up in libc itself. kt_process_ask_own() asks the kernel;
 * use it where such a mistake would end the parent's word or change its tables.
 */
bool kt_process_is_own(void);
bool kt_process_ask_own(void);

/*
 * Not 0 in the child of a vfork() of this thread, which shares the thread's memory.
 * interpose/vfork.c sets it before the call; the parent restores it.
 */
extern _Thread_local uint32_t kt_process_vforks;

/*
 * Call before a child is made that shares this process's memory in another way: from now on
 * kt_process_is_own() asks the kernel.
 */
void kt_process_shares_memory(void);

/*
 * Stops the recorder in this process (collect/preload/interpose/filter.h): from now on
 * kt_lock() takes nothing and blocks no signals.
 */
void kt_process_stop(void);
bool kt_process_is_stopped(void);

#endif
