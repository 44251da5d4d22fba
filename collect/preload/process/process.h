/* SPDX-License-Identifier: MIT */
/*
 * Identifies the process that the recorder's tables describe, and says whether the recorder
 * may still run in it.
 */
#ifndef KTAIL_COLLECT_PROCESS_H
#define KTAIL_COLLECT_PROCESS_H

#include <stdbool.h>

/*
 * Declares that the tables describe the calling process. Call it at start and in a forked
 * child.
 */
void kt_process_begin(void);

/*
 * Returns whether the tables describe the calling process; always true after
 * kt_process_stop(). False in the child of a vfork: until its exec, the child runs in its
 * parent's memory, and the child's actions must not be recorded as the parent's.
 */
bool kt_process_is_own(void);

/*
 * Stops the recorder in this process (collect/preload/interpose/filter.h): from now on
 * kt_lock() takes nothing and blocks no signals.
 */
void kt_process_stop(void);
bool kt_process_is_stopped(void);

#endif
