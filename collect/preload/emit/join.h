/* SPDX-License-Identifier: MIT */
/* A recorded process's part of collect/admission.h. */
#ifndef KTAIL_COLLECT_JOIN_H
#define KTAIL_COLLECT_JOIN_H

#include <stdbool.h>

/*
 * At start, before LTTng: joins the recording that the environment names, and maps its
 * counters. Where there is none, as in a plain LTTng session, the process counts for
 * itself. false: there is one, and it cannot be joined: LTTng must not be let look for it
 * either.
 */
bool kt_join_at_start(void);

/* Whether the environment named a recording when the process started. */
bool kt_join_is_recorded(void);

/*
 * Joins in a forked child, which has the counters already. After LTTng's own handler: it
 * closes the parent's sockets. A parent that has ended meanwhile (daemon(3)) would seem
 * alive to the session daemon until then, which would wait for its answer.
 */
void kt_join_after_fork(void);

/*
 * Around an exec or a spawn: counts the coming program as shut out where the process has
 * changed to a user who may not enter the run folder, for that program cannot say so
 * itself; and takes that back where there is no such program after all.
 */
void kt_join_before_exec(void);
void kt_join_after_failed_exec(void);

#endif
