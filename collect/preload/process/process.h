/* SPDX-License-Identifier: MIT */
/*
 * Identifies the process that the recorder's tables describe, and whether the recorder may
 * still run in it.
 */
#ifndef KTAIL_COLLECT_PROCESS_H
#define KTAIL_COLLECT_PROCESS_H

#include <stdbool.h>

/* Makes the tables describe the calling process: at start, and in a forked child. */
void kt_process_begin(void);

/*
 * Returns whether this is the process that the tables describe. False in the child of a
 * vfork, which runs in its parent's memory until it execs: nothing it does may be recorded
 * there.
 */
bool kt_process_is_own(void);

/*
 * Stops the recorder in this process (collect/preload/interpose/filter.h): from now on
 * kt_lock() takes nothing and blocks no signals.
 */
void kt_process_stop(void);
bool kt_process_is_stopped(void);

#endif
