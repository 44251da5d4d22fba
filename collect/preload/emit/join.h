/* SPDX-License-Identifier: MIT */
/* The part of the protocol in collect/admission.h that the recorded process executes. */
#ifndef KTAIL_COLLECT_JOIN_H
#define KTAIL_COLLECT_JOIN_H

#include <stdbool.h>

/*
 * Joins the recording that the environment names, and maps its counters. Call it before
 * LTTng starts. If the environment names no recording, as in a plain LTTng session, returns
 * true, and the process uses counters of its own. Returns false if the recording cannot be
 * joined: then LTTng's provider must not be loaded.
 */
bool kt_join_at_start(void);

/* Returns whether the environment named a recording when the process started. */
bool kt_join_is_recorded(void);

/*
 * Joins in a forked child, which has inherited the counters. Call it after LTTng's own fork
 * handler, which closes the child's copies of the parent's sockets. As long as a copy is
 * open, the session daemon does not notice if the parent exits (as in daemon(3), for
 * example), and waits for the parent's answer.
 */
void kt_join_after_fork(void);

/*
 * Call kt_join_before_exec() before an exec or a spawn. If the process has changed to a
 * user who may not enter the run folder, kt_join_before_exec() counts the new program as
 * not joined, because the new program cannot report this itself. If the exec fails,
 * kt_join_after_failed_exec() undoes the count.
 */
void kt_join_before_exec(void);
void kt_join_after_failed_exec(void);

#endif
