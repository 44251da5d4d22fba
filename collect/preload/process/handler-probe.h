/* SPDX-License-Identifier: MIT */
/*
 * For tests alone: a library built with KT_HANDLER_PROBE says when a thread is inside one
 * of the recorder's signal handlers, so that a test can trap what must not be called there.
 * In the real library both are nothing. The application's own handlers are called outside.
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
