/* SPDX-License-Identifier: MIT */
/* The part of the protocol in collect/admission.h that the recorded process executes. */
#ifndef KTAIL_COLLECT_JOIN_H
#define KTAIL_COLLECT_JOIN_H

#include <stdbool.h>

/*
 * Joins the recording that the environment names and maps its counters; called at start,
 * before LTTng starts. In a plain LTTng session, which names none, the process has counters
 * of its own. Returns false if the recording cannot be joined: LTTng must not search for it
 * then.
 */
bool kt_join_at_start(void);

/* Returns whether the environment named a recording when the process started. */
bool kt_join_is_recorded(void);

/*
 * Joins in a forked child, which has the counters already. Runs after LTTng's own fork
 * handler, which closes the sockets of the parent: while they are open, the session daemon
 * would take a parent that has ended (daemon(3)) for alive and wait for its answer.
 */
void kt_join_after_fork(void);

/*
 * Bracket an exec or a spawn. If the process has changed to a user who may not enter the
 * run folder, the new program is counted as not joined, since it cannot report that
 * itself; kt_join_after_failed_exec() undoes the count.
 */
void kt_join_before_exec(void);
void kt_join_after_failed_exec(void);

#endif
