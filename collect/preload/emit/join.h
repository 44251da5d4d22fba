/* SPDX-License-Identifier: MIT */
/* The part of the protocol in collect/admission.h that the recorded process executes. */
#ifndef KTAIL_COLLECT_JOIN_H
#define KTAIL_COLLECT_JOIN_H

#include <stdbool.h>

/*
 * Joins the recording that the environment names and maps its counters; called at start,
 * before LTTng starts. If the environment names no recording, as in a plain LTTng session,
 * returns true, and the process has counters of its own. Returns false if the recording
 * cannot be joined: then LTTng must not search for it.
 */
bool kt_join_at_start(void);

/* Returns whether the environment named a recording when the process started. */
bool kt_join_is_recorded(void);

/*
 * Joins in a forked child, which has the counters already. Call after LTTng's own fork
 * handler, which closes the child's copies of the parent's sockets: while they are open,
 * the session daemon would consider a parent that has ended (daemon(3)) alive and wait for
 * its answer.
 */
void kt_join_after_fork(void);

/*
 * Call the first before an exec or a spawn: if the process has changed to a user who may
 * not enter the run folder, it counts the new program as not joined, since the program
 * cannot report that itself. If the exec fails, kt_join_after_failed_exec() undoes the
 * count.
 */
void kt_join_before_exec(void);
void kt_join_after_failed_exec(void);

#endif
