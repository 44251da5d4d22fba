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

#include "base/syscall-entry.h"
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

/* Where the kernel enters the recorder's handlers. Not to be called: it finds its arguments
 * where the kernel puts them. */
extern const char kt_signal_entry[];

/*
 * How often one of the recorder's signals was sent to the thread and the application did
 * not notice (it blocks or ignores it), and how often a handler of the application was
 * entered for one.
 */
struct kt_signals_passed {
	uint32_t unnoticed;
	uint32_t handled;
};

extern _Thread_local struct kt_signals_passed kt_signals_passed;

/* A set of signals as the kernel is to have it, and its place in pselect6(2). */
struct kt_system_mask {
	uint64_t mask;
	struct {
		const uint64_t *mask;
		size_t size;
	} pair;
};

/*
 * Where a call waits with another mask: lets the call give the kernel that mask, in
 * *translated, in which the recorder's signals are not really blocked. false: it has none,
 * or one that need not change.
 */
bool kt_system_mask(struct kt_system_call *call, struct kt_system_mask *translated);

/*
 * A call of syscall(2) that takes signals, or says which wait: what the program sees of
 * them is what it asked for. true: the call was made, and this is what the kernel returned.
 */
bool kt_system_signal(const struct kt_system_call *call, long *result);

/* signalfd(2): the descriptor gives what waits as a carrier, too. As the kernel returns. */
long kt_signals_signalfd(int fd, const uint64_t *set, size_t size, int flags);

#endif
