/* SPDX-License-Identifier: MIT */
/*
 * Tracks whether the application has a handler for any signal. Without a handler, no code
 * of the application can interrupt the recorder, so frequently entered code of the recorder
 * leaves signals unblocked.
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
 * kt_signals_caught is not 0 if the application has, or had, a handler for any signal.
 * kt_signals_open counts the threads in the recorder's code that have read 0 from
 * kt_signals_caught and left their signals unblocked. Both have 32 bits for the assembly in
 * patch-entry.c, which counts its thread first and then checks kt_signals_caught again.
 */
extern _Atomic uint32_t kt_signals_caught;
extern _Atomic uint32_t kt_signals_open;

/* Call before an action is installed. For a handler, waits until kt_signals_open is 0. */
void kt_signals_note(uintptr_t handler);

/* Call in a forked child, where no other thread runs: resets kt_signals_open. */
void kt_signals_after_fork(void);

#endif
