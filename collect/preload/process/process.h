/* SPDX-License-Identifier: MIT */
/* Which process the recorder's tables describe, and whether anything of it may still run.
 */
#ifndef KTAIL_COLLECT_PROCESS_H
#define KTAIL_COLLECT_PROCESS_H

#include <stdbool.h>

/* From now on the tables are the calling process's: at start, and in a forked child. */
void kt_process_begin(void);

/*
 * Whether this is the process that the tables describe. Not so in the child of a vfork,
 * which runs in its parent's memory until it execs: nothing it does may be noted there.
 */
bool kt_process_is_own(void);

/*
 * Nothing of ours may run here any more (collect/preload/interpose/filter.h): nobody takes
 * the lock from now on, and no signals are blocked for it.
 */
void kt_process_stop(void);
bool kt_process_is_stopped(void);

#endif
