/* SPDX-License-Identifier: MIT */
/*
 * Marks when a thread is inside one of the recorder's signal handlers, so that a test can
 * detect calls that are not allowed there. The application's handlers do not count as
 * inside. Without KT_HANDLER_PROBE both macros are empty.
 */
#ifndef KTAIL_COLLECT_HANDLER_PROBE_H
#define KTAIL_COLLECT_HANDLER_PROBE_H

#ifdef KT_HANDLER_PROBE
void kt_handler_enter(void);
void kt_handler_leave(void);
#define KT_HANDLER_ENTER() kt_handler_enter()
#define KT_HANDLER_LEAVE() kt_handler_leave()
#else
#define KT_HANDLER_ENTER() ((void)0)
#define KT_HANDLER_LEAVE() ((void)0)
#endif

#endif
