/* SPDX-License-Identifier: MIT */
/*
 * Whether code of the application can run wherever signals are not blocked: it can once it
 * has a handler for some signal. Code that is entered often blocks them only then.
 */
#ifndef KTAIL_COLLECT_SIGNAL_CAUGHT_H
#define KTAIL_COLLECT_SIGNAL_CAUGHT_H

#include <signal.h>
#include <stdint.h>

/* What rt_sigaction(2) takes: struct sigaction as the kernel has it. */
struct kt_action {
	uintptr_t handler; /* an address, or one of these */
	unsigned long flags;
	void *restorer;
	uint64_t mask;
};

#define KT_SIG_DFL ((uintptr_t)SIG_DFL)
#define KT_SIG_IGN ((uintptr_t)SIG_IGN)

/*
 * Not 0: the application has, or had, a handler for some signal, so that code of its own
 * can run wherever signals are not blocked. And how many threads are in code of ours with
 * their signals open, because they have seen that it is 0. 32 bits: patch-entry.c looks at
 * them. It counts itself first, then looks once more.
 */
extern _Atomic uint32_t kt_signals_caught;
extern _Atomic uint32_t kt_signals_open;

/* To be called before an action of the application is installed: waits for those threads.
 */
void kt_signals_note(uintptr_t handler);

/* In a forked child: there is none of them. */
void kt_signals_after_fork(void);

#endif
