/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "collect/preload/handlers/signals.h"

#include <errno.h>
#include <stdatomic.h>
#include <string.h>
#include <time.h>
#include <ucontext.h>

#include "collect/preload/process/kernel.h"
#include "collect/preload/process/process.h"
#include "collect/preload/process/next.h"
#include "collect/preload/process/signal-frame.h"
#include "collect/preload/signals/signal-actions.h"
#include "collect/preload/signals/signal-carry.h"

static struct kt_action ours[KT_KEPT]; /* the recorder's actions in the kernel */

/* --- actions --- */

static void really_install(int i, const struct kt_action *action)
{
	KT_KERNEL(SYS_rt_sigaction, kt_kept[i].signal, action, NULL, sizeof(uint64_t));
}

/* Makes interrupted system calls restart or fail, as the application's action asks. */
static void follow(int i, const struct kt_action *action)
{
	bool caught = action->handler != KT_SIG_DFL && action->handler != KT_SIG_IGN;
	unsigned long restart =
		!caught || action->flags & SA_RESTART ? (unsigned long)SA_RESTART : 0;

	if ((ours[i].flags & SA_RESTART) != restart) {
		ours[i].flags ^= SA_RESTART;
		really_install(i, &ours[i]);
	}
}

static long keep_action(int signal, const struct kt_action *action, struct kt_action *old)
{
	static const struct kt_action ignore = {.handler = KT_SIG_IGN};
	struct kt_kept *slot = kt_kept_find(signal);
	int i = (int)(slot - kt_kept);
	int carrier = i + KT_OUR_SIGNALS;
	struct kt_action before = *atomic_load(&slot->now);
	struct kt_action copy;

	if (action) {
		if (!kt_guarded_copy(&copy, action, sizeof(copy))) {
			return -EFAULT;
		}
		copy.mask &= ~(KT_SIGNAL_BIT(SIGKILL) | KT_SIGNAL_BIT(SIGSTOP));
		kt_kept_put(slot, &copy);
		follow(i, &copy);
		/*
		 * When a signal becomes ignored, the kernel drops its pending instances. A
		 * blocked signal of the recorder is pending as its carrier
		 * (signal-carry.h), so the carrier is ignored for a moment: then the kernel
		 * drops the carrier in all threads. If the application has an action for
		 * the carrier, the carrier is left alone.
		 */
		if (copy.handler == KT_SIG_IGN && carrier < KT_KEPT &&
		    atomic_load(&kt_kept[carrier].now)->handler == KT_SIG_DFL) {
			really_install(carrier, &ignore);
			really_install(carrier, &ours[carrier]);
		}
	}
	return old && !kt_guarded_copy(old, &before, sizeof(before)) ? -EFAULT : 0;
}

/*
 * The kernel has separate actions for the child of a vfork, which shares what is kept and
 * wrapped: its own actions are neither. Those that it has not changed are its parent's.
 */
static long pass_action(int signal, const struct kt_action *action, struct kt_action *old,
			kt_action_call *call, bool own)
{
	struct kt_kept *slot = kt_kept_find(signal);
	struct kt_action former;
	struct kt_action copy;
	struct kt_action before;
	long error;

	if (action && !kt_guarded_copy(&copy, action, sizeof(copy))) {
		return -EFAULT;
	}
	if (action) {
		copy.mask = kt_mask_to_kernel(copy.mask);
	}
	kt_wrap(signal, action && own ? &copy : NULL, &former);
	error = call(signal, action ? &copy : NULL, &before);
	if (error || !old) {
		return error;
	}
	kt_wrap_former(&before, &former);
	before.mask = kt_mask_to_application(before.mask);
	if (slot && before.handler == (uintptr_t)kt_signal_entry) {
		before = *atomic_load(&slot->now);
	}
	return kt_guarded_copy(old, &before, sizeof(before)) ? 0 : -EFAULT;
}

long kt_signals_action(int signal, const struct kt_action *action, struct kt_action *old,
		       kt_action_call *call)
{
	bool own;

	if (!kt_signals_installed || signal < 1 || signal > KT_SIGNALS) {
		return call(signal, action, old);
	}
	own = kt_process_ask_own();
	return own && kt_kept_find(signal) ? keep_action(signal, action, old)
					   : pass_action(signal, action, old, call, own);
}

/* --- at start --- */

/*
 * Installs the recorder's handler, which only the recorder's own signals may interrupt.
 * Uses libc's sigaction(), which sets the restorer.
 */
static void install_one(int i, int signal)
{
	struct kt_action before;
	struct sigaction action;

	memset(&action, 0, sizeof(action));
	action.sa_handler = (sighandler_t)(uintptr_t)kt_signal_entry;
	*(uint64_t *)(void *)&action.sa_mask = ~KT_OUR_MASK;
	action.sa_flags = SA_SIGINFO | SA_NODEFER | SA_ONSTACK | SA_RESTART;
	KT_KERNEL(SYS_rt_sigaction, signal, NULL, &before, sizeof(uint64_t));
	before.flags &= ~KT_SA_RESTORER;
	kt_kept[i].signal = signal;
	kt_kept_put(&kt_kept[i], &before);
	kt_next()->sigaction(signal, &action, NULL);
	KT_KERNEL(SYS_rt_sigaction, signal, NULL, &ours[i], sizeof(uint64_t));
	follow(i, &before);
}

void kt_signals_install(void)
{
	uint64_t kept = 0;

	kt_handler_stack_make();
	for (int i = 0; i < KT_OUR_SIGNALS; i++) {
		install_one(i, kt_our_signals[i].number);
		install_one(i + KT_OUR_SIGNALS, kt_our_signals[i].carrier);
	}
	for (int i = 0; i < KT_KEPT; i++) {
		kept |= KT_SIGNAL_BIT(kt_kept[i].signal);
	}
	kt_wrap_install(kept, ours[0].restorer);
	kt_signals_installed = true;
	kt_mask_enable();
}

/* --- around exec --- */

void kt_signals_before_exec(void)
{
	static const struct kt_action ignore = {.handler = KT_SIG_IGN};
	struct kt_action real;

	kt_mask_before_exec();
	for (int i = 0; kt_signals_installed && i < KT_KEPT; i++) {
		KT_KERNEL(SYS_rt_sigaction, kt_kept[i].signal, NULL, &real,
			  sizeof(uint64_t));
		if (real.handler == (uintptr_t)kt_signal_entry &&
		    atomic_load(&kt_kept[i].now)->handler == KT_SIG_IGN) {
			really_install(i, &ignore);
		}
	}
}

void kt_signals_after_exec(void)
{
	for (int i = 0; kt_signals_installed && i < KT_KEPT; i++) {
		if (kt_process_ask_own()) {
			really_install(i, &ours[i]);
		}
	}
	kt_mask_after_exec();
}

void kt_signals_give_back(void)
{
	struct kt_action now;
	struct sigaction action;

	for (int i = 0; kt_signals_installed && i < KT_KEPT; i++) {
		now = *atomic_load(&kt_kept[i].now);
		memset(&action, 0, sizeof(action));
		action.sa_handler = (sighandler_t)now.handler;
		action.sa_flags = (int)(now.flags & ~KT_SA_RESTORER);
		memcpy(&action.sa_mask, &now.mask, sizeof(now.mask));
		kt_next()->sigaction(kt_kept[i].signal, &action, NULL);
	}
	kt_mask_give_back();
	kt_signals_installed = false;
}

/* --- calls that wait with another mask --- */

static bool translate(const uint64_t *set, uint64_t *mask)
{
	uint64_t asked;

	if (!set || !kt_guarded_copy(&asked, set, sizeof(asked))) {
		return false;
	}
	*mask = kt_mask_to_kernel(asked);
	return *mask != asked;
}

bool kt_system_mask(struct kt_system_call *call, struct kt_system_mask *translated)
{
	long *set = NULL; /* the argument with the mask; NULL: none, or of another size */

	switch (call->number) {
	case SYS_rt_sigsuspend: set = call->b == sizeof(uint64_t) ? &call->a : NULL; break;
	case SYS_ppoll: set = call->e == sizeof(uint64_t) ? &call->d : NULL; break;
	case SYS_epoll_pwait:
	case SYS_epoll_pwait2: set = call->f == sizeof(uint64_t) ? &call->e : NULL; break;
	default: break;
	}
	if (call->number == SYS_pselect6) {
		if (!call->f ||
		    !kt_guarded_copy(&translated->pair, (void *)call->f,
				     sizeof(translated->pair)) ||
		    translated->pair.size != sizeof(uint64_t) ||
		    !translate(translated->pair.mask, &translated->mask)) {
			return false;
		}
		translated->pair.mask = &translated->mask;
		call->f = (long)&translated->pair;
		return true;
	}
	if (!set || !translate((const uint64_t *)*set, &translated->mask)) {
		return false;
	}
	*set = (long)&translated->mask;
	return true;
}

/* --- calls that take or return sets of signals --- */

long kt_signals_all_pending(uint64_t *set)
{
	uint64_t pending = 0;

	KT_KERNEL(SYS_rt_sigpending, &pending, sizeof(pending));
	pending = kt_signals_pending(pending);
	return kt_guarded_copy(set, &pending, sizeof(pending)) ? 0 : -EFAULT;
}

long kt_signals_wait(const uint64_t *set, siginfo_t *info, const void *timeout,
		     kt_wait_call *call)
{
	uint64_t asked;
	siginfo_t own;
	long number;

	if (!kt_guarded_copy(&asked, set, sizeof(asked))) {
		return -EFAULT;
	}
	asked |= kt_mask_to_kernel(asked);
	number = call(&asked, &own, timeout);
	if (number > 0) {
		number = kt_carry_undo((int)number, &own);
		if (info && !kt_guarded_copy(info, &own, sizeof(own))) {
			return -EFAULT;
		}
	}
	return number;
}

/*
 * Makes the descriptor report both the signal and its carrier. The carrier alone would not
 * suffice: an unrecorded program that inherits the descriptor by an exec gets only the
 * signal itself.
 */
long kt_signals_signalfd(int fd, const uint64_t *set, size_t size, int flags)
{
	uint64_t asked;

	if (size != sizeof(asked) || !kt_guarded_copy(&asked, set, sizeof(asked))) {
		return KT_KERNEL(SYS_signalfd4, fd, set, size, flags);
	}
	asked |= kt_mask_to_kernel(asked);
	return KT_KERNEL(SYS_signalfd4, fd, &asked, size, flags);
}

static long kernel_action(int signal, const struct kt_action *action, struct kt_action *old)
{
	return KT_KERNEL(SYS_rt_sigaction, signal, action, old, sizeof(uint64_t));
}

static long kernel_wait(const uint64_t *set, siginfo_t *info, const void *timeout)
{
	return KT_KERNEL(SYS_rt_sigtimedwait, set, info, timeout, sizeof(*set));
}

bool kt_system_signal(const struct kt_system_call *s, long *result)
{
	switch (s->number) {
	case SYS_rt_sigaction:
		if (s->d != sizeof(uint64_t)) {
			return false;
		}
		*result = kt_signals_action((int)s->a, (void *)s->b, (void *)s->c,
					    kernel_action);
		return true;
	case SYS_rt_sigprocmask:
		*result = kt_signals_mask((int)s->a, (void *)s->b, (void *)s->c,
					  (size_t)s->d);
		return true;
	case SYS_sigaltstack:
		*result = kt_signals_altstack((void *)s->a, (void *)s->b);
		return true;
	case SYS_rt_sigpending:
		if (s->b != sizeof(uint64_t)) {
			return false;
		}
		*result = kt_signals_all_pending((void *)s->a);
		return true;
	case SYS_rt_sigtimedwait:
		if (s->d != sizeof(uint64_t)) {
			return false;
		}
		*result = kt_signals_wait((void *)s->a, (void *)s->b, (void *)s->c,
					  kernel_wait);
		return true;
	case SYS_signalfd:
		*result = kt_signals_signalfd((int)s->a, (void *)s->b, (size_t)s->c, 0);
		return true;
	case SYS_signalfd4:
		*result = kt_signals_signalfd((int)s->a, (void *)s->b, (size_t)s->c,
					      (int)s->d);
		return true;
	default: return false;
	}
}
