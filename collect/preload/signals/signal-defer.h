/* SPDX-License-Identifier: MIT */
/*
 * Keeps the application's handlers out of the recorder's critical sections without a system
 * call. In a section, kt_signals_blocked is set for the thread. A signal that arrives then
 * is kept here, and all others are blocked in the code that it has interrupted. At the end
 * of the section, kt_signals_leave() enters the handler as the kernel would have: with the
 * same siginfo, mask and stack. So a handler must be entered through the recorder
 * (signal-wrap.h).
 */
#ifndef KTAIL_COLLECT_SIGNAL_DEFER_H
#define KTAIL_COLLECT_SIGNAL_DEFER_H

#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <ucontext.h>

/*
 * True while no handler of the application may run in the thread: in a critical section,
 * and in the recorder's own signal handlers, during which the kernel blocks signals.
 */
extern _Thread_local bool kt_signals_blocked;

/*
 * Not 0 if the application may have a handler that is not wrapped: until
 * kt_wrap_install(), and if kt_wrap_search() has found one. Critical sections block signals
 * then. 32 bits for the assembly in patch-entry.c.
 */
extern _Atomic uint32_t kt_signals_unwrapped;

/* A kept signal. At most one a thread, because all are blocked while there is one. */
struct kt_deferred {
	bool pending; /* the first member: see patch-entry.c */
	int signal;   /* 0 while the other members are not complete */
	void (*put_back)(int, const siginfo_t *);
	uint64_t mask; /* the thread's mask before signals were blocked */
	siginfo_t info;
};

extern _Thread_local struct kt_deferred kt_deferred;

/*
 * Keeps a signal that was delivered with this context while kt_signals_blocked is set. If
 * another signal is kept already, which can only be while a handler is being entered, one
 * of the two is put back: put_back() of that signal is called with signals blocked and must
 * make it pending in the kernel. Signal-safe.
 */
void kt_defer(int signal, const siginfo_t *info, ucontext_t *context,
	      void (*put_back)(int, const siginfo_t *));

/*
 * Executes an instruction that is not allowed, at kt_deferred_at. The handler of the
 * resulting SIGSEGV takes the kept signal by kt_deferred_take() and enters its handler.
 */
void kt_deferred_run(void);
extern const char kt_deferred_at[];

/* Returns the kept signal and sets up the context so that a handler returns after it. */
struct kt_deferred kt_deferred_take(ucontext_t *context);

static inline void kt_signals_enter(void)
{
	kt_signals_blocked = true;
	atomic_signal_fence(memory_order_seq_cst);
}

/* Ends the section. A handler of the application may run, and jump out, before it returns.
 */
static inline void kt_signals_leave(void)
{
	atomic_signal_fence(memory_order_seq_cst);
	kt_signals_blocked = false;
	atomic_signal_fence(memory_order_seq_cst);
	if (kt_deferred.pending) {
		kt_deferred_run();
	}
}

/*
 * rt_sigprocmask(2) for code within a section: returns the mask that the thread has
 * outside of it, with all signals blocked until kt_deferred_set_mask().
 */
uint64_t kt_deferred_get_mask(void);
void kt_deferred_set_mask(uint64_t mask);

/* Call in a forked child, to which no signal of the parent is delivered. */
void kt_deferred_after_fork(void);

/* Call when the thread ends: if it was cancelled in a section, sends a kept signal on. */
void kt_deferred_abandon(void);

#endif
