/* SPDX-License-Identifier: MIT */
/*
 * SIGSEGV, SIGBUS and SIGTRAP belong to the recorder, which stores the application's own
 * actions for them. If the recorder has not caused such a signal, the application's handler
 * is called as the kernel would have called it.
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
#include "collect/preload/signals/signal-wrap.h"

/*
 * Installs the recorder's handlers. Until then, calls by which the application changes
 * actions go straight to the kernel.
 */
void kt_signals_install(void);

/*
 * Calls by which the kernel is asked, as libc makes them or as syscall(2) does. They return
 * the kernel's result; `old` may be NULL.
 */
typedef long kt_action_call(int signal, const struct kt_action *action,
			    struct kt_action *old);
typedef long kt_wait_call(const uint64_t *set, siginfo_t *info, const void *timeout);

/*
 * sigaction(2) as the application sees it: returns 0 or -errno; pointers may be NULL or
 * invalid. In the child of a vfork, it changes the child's actions in the kernel.
 */
long kt_signals_action(int signal, const struct kt_action *action, struct kt_action *old,
		       kt_action_call *call);

/*
 * Call before an exec. The new program inherits blocked and ignored signals, so the
 * thread's mask and the process's ignored signals are set as the application asked for.
 * kt_signals_after_exec() undoes this if the exec failed.
 */
void kt_signals_before_exec(void);
void kt_signals_after_exec(void);

/*
 * Removes the recorder's handlers for good: restores the application's own actions for the
 * process and its mask for the calling thread. No other thread may run.
 */
void kt_signals_give_back(void);

/*
 * Ends the process as the default action of the signal would have ended it: raises the
 * signal again, which takes effect when the interrupted code continues.
 */
void kt_signal_die(int signal, siginfo_t *info);

/*
 * The kernel enters the recorder's handlers here. Not callable from C: it expects its
 * arguments where the kernel puts them.
 */
extern const char kt_signal_entry[];

/*
 * Counts for this thread the signals that reached the recorder's handlers but were not the
 * recorder's. `unnoticed`: the application blocks or ignores them. `handled`: a handler of
 * the application was entered.
 */
struct kt_signals_passed {
	uint32_t unnoticed;
	uint32_t handled;
};

extern _Thread_local struct kt_signals_passed kt_signals_passed;

/* A signal set as passed to the kernel, and its struct for pselect6(2). */
struct kt_system_mask {
	uint64_t mask;
	struct {
		const uint64_t *mask;
		size_t size;
	} pair;
};

/*
 * For a call that waits with a mask of its own: replaces this mask by *translated, which
 * blocks carriers in place of the recorder's signals. Returns false if the call has no mask
 * or the mask need not change. *translated must exist until the call returns.
 */
bool kt_system_mask(struct kt_system_call *call, struct kt_system_mask *translated);

/*
 * Makes a call of syscall(2) that takes or returns sets of signals, so that the program
 * sees the signals it asked for. Returns true if the call was made, with the kernel's
 * result in *result.
 */
bool kt_system_signal(const struct kt_system_call *call, long *result);

/*
 * sigpending(2) and sigtimedwait(2) as the application sees them. They return the kernel's
 * result; pointers may be invalid, and `info` may be NULL.
 */
long kt_signals_all_pending(uint64_t *set);
long kt_signals_wait(const uint64_t *set, siginfo_t *info, const void *timeout,
		     kt_wait_call *call);

/*
 * Like signalfd(2), but also adds the carriers of the recorder's signals in *set
 * (signal-carry.h), because the kernel keeps such a signal pending as its carrier while it
 * is blocked. Returns the kernel's result.
 */
long kt_signals_signalfd(int fd, const uint64_t *set, size_t size, int flags);

#endif
