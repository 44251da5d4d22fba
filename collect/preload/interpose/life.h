/* SPDX-License-Identifier: MIT */
/* The word of a process: where it begins, ends, and begins again. */
#ifndef KTAIL_COLLECT_LIFE_H
#define KTAIL_COLLECT_LIFE_H

#include "lttng-providers/ust/gpu-stack-events.h"

/*
 * The first word of the process begins, with this event. A copy of it is kept for those of
 * forked children: its texts must live as long as the process. The lock is held.
 */
void kt_life_begin(const struct kt_event_process_begin *event);

/* The process is about to end ("exit") or to become another program ("exec"). */
void kt_life_end(const char *reason);

/* exec has failed after all: the process goes on. */
void kt_life_go_on(void);

/* In a forked child, after LTTng has been told. */
void kt_life_child(void);

#endif
