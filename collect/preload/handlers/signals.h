/* SPDX-License-Identifier: MIT */
/*
 * SIGSEGV, SIGBUS and SIGTRAP belong to the recorder; the application's own handlers for
 * them are kept and called for whatever is not the recorder's, as the kernel would have
 * called them.
 */
#ifndef KTAIL_COLLECT_SIGNALS_H
#define KTAIL_COLLECT_SIGNALS_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collect/preload/signals/handler-stack.h" /* kt_signals_altstack() */
#include "collect/preload/signals/signal-mask.h"   /* kt_signals_mask() */

#include "collect/preload/signals/signal-caught.h"

/* Installs the recorder's handlers. Before it, the application's calls pass through. */
void kt_signals_install(void);

/*
 * rt_sigaction(2) as the application sees it: 0 or -errno; pointers may be NULL, or wrong.
 * In the child of a vfork it is the kernel's own.
 */
long kt_signals_action(int signal, const struct kt_action *action, struct kt_action *old,
		       size_t size);

/* Whether the recorder keeps the action of that signal to itself. Not in a vfork child. */
bool kt_signals_keeps(int signal);

/*
 * Another program inherits which signals are blocked and ignored: gives the calling thread
 * and the process what the application asked for. After an exec that failed, takes it back.
 */
void kt_signals_before_exec(void);
void kt_signals_after_exec(void);

/*
 * The recorder's handlers are in nobody's way any more: the application's own actions are
 * the process's, and its mask that of the calling thread. For good; no other thread may
 * run.
 */
void kt_signals_give_back(void);

#endif
