/* SPDX-License-Identifier: MIT */
/*
 * Tracks whether the application has a handler for some signal. Only then can its code run
 * wherever signals are not blocked, so only then does frequently entered code of the
 * recorder block signals.
 */
#ifndef KTAIL_COLLECT_SIGNAL_CAUGHT_H
#define KTAIL_COLLECT_SIGNAL_CAUGHT_H

#include <signal.h>
#include <stdint.h>

/* Argument of rt_sigaction(2): the kernel's struct sigaction. */
struct kt_action {
	uintptr_t handler; /* an address, KT_SIG_DFL or KT_SIG_IGN */
	unsigned long flags;
	void *restorer;
	uint64_t mask;
};

#define KT_SIG_DFL ((uintptr_t)SIG_DFL)
#define KT_SIG_IGN ((uintptr_t)SIG_IGN)

/*
 * kt_signals_caught is not 0 if the application has, or had, a handler for some signal.
 * kt_signals_open counts the threads in our code that have read 0 there and left their
 * signals unblocked. Both have 32 bits for the assembly in patch-entry.c, which counts its
 * thread first and then checks kt_signals_caught again.
 */
extern _Atomic uint32_t kt_signals_caught;
extern _Atomic uint32_t kt_signals_open;

/* Call before an action is installed: waits for the threads in kt_signals_open. */
void kt_signals_note(uintptr_t handler);

/* In a forked child, which has no such threads. */
void kt_signals_after_fork(void);

#endif
