/* SPDX-License-Identifier: MIT */
/*
 * Functions for signal actions, alternate stacks, masks and waits for signals, under all
 * their names in libc. The recorder's signals are never blocked in the kernel.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/signalfd.h>

#include "collect/preload/handlers/signals.h"
#include "collect/preload/handlers/waits-again.h"
#include "collect/preload/process/interpose.h"
#include "collect/preload/process/next.h"
#include "collect/preload/process/tracer.h"
#include "collect/preload/signals/signal-carry.h"
#include "collect/preload/signals/signal-mask.h"

static int result(long code)
{
	if (code < 0) {
		errno = (int)-code;
		return -1;
	}
	return (int)code;
}

/* --- sigaction and similar --- */

static struct kt_action action_of(const struct sigaction *action)
{
	struct kt_action same = {
		.handler = (uintptr_t)action->sa_handler,
		.flags = (unsigned long)action->sa_flags & UINT32_MAX,
	};

	memcpy(&same.mask, &action->sa_mask, sizeof(same.mask));
	return same;
}

static void put_action(struct sigaction *action, const struct kt_action *same)
{
	memset(action, 0, sizeof(*action));
	action->sa_handler = (sighandler_t)same->handler;
	action->sa_flags = (int)same->flags;
	memcpy(&action->sa_mask, &same->mask, sizeof(same->mask));
}

/* libc adds its code that returns from handlers. */
static long libc_action(int number, const struct kt_action *action, struct kt_action *old)
{
	struct sigaction now;
	struct sigaction before;

	if (action) {
		put_action(&now, action);
	}
	if (kt_next()->sigaction(number, action ? &now : NULL, &before) != 0) {
		return -errno;
	}
	if (old) {
		*old = action_of(&before);
	}
	return 0;
}

KT_INTERPOSE int sigaction(int number, const struct sigaction *action,
			   struct sigaction *old)
{
	struct kt_action now;
	struct kt_action before;
	long error;

	if (action) {
		now = action_of(action);
	}
	error = kt_signals_action(number, action ? &now : NULL, old ? &before : NULL,
				  libc_action);
	if (!error && old) {
		put_action(old, &before);
	}
	return result(error);
}

/* Signals whose handlers interrupt system calls: siginterrupt(3). */
static uint64_t interrupting;

static sighandler_t set_handler(int number, sighandler_t handler, int flags, bool block)
{
	struct sigaction action = {.sa_handler = handler, .sa_flags = flags};
	struct sigaction old;

	if (handler == SIG_ERR || number < 1 || number > 64) {
		errno = EINVAL;
		return SIG_ERR;
	}
	if (block) {
		sigaddset(&action.sa_mask, number);
	}
	return sigaction(number, &action, &old) == 0 ? old.sa_handler : SIG_ERR;
}

KT_INTERPOSE sighandler_t signal(int number, sighandler_t handler)
{
	bool interrupts =
		number > 0 && number <= 64 && interrupting & KT_SIGNAL_BIT(number);

	return set_handler(number, handler, interrupts ? 0 : SA_RESTART, true);
}

/* signal() in programs that ask for strict ISO C; no header declares it. */
KT_INTERPOSE sighandler_t __sysv_signal(int number, sighandler_t handler);

KT_INTERPOSE sighandler_t __sysv_signal(int number, sighandler_t handler)
{
	return set_handler(number, handler, (int)(SA_RESETHAND | SA_NODEFER), false);
}

KT_INTERPOSE int siginterrupt(int number, int interrupts)
{
	struct sigaction action;

	if (sigaction(number, NULL, &action) != 0) {
		return -1;
	}
	if (interrupts) {
		interrupting |= KT_SIGNAL_BIT(number);
		action.sa_flags &= ~SA_RESTART;
	} else {
		interrupting &= ~KT_SIGNAL_BIT(number);
		action.sa_flags |= SA_RESTART;
	}
	return sigaction(number, &action, NULL);
}

KT_INTERPOSE int sigignore(int number)
{
	return set_handler(number, SIG_IGN, 0, false) == SIG_ERR ? -1 : 0;
}

KT_INTERPOSE sighandler_t sigset(int number, sighandler_t disposition)
{
	struct sigaction old;
	sigset_t one;
	sigset_t before;

	sigemptyset(&one);
	if (disposition == SIG_ERR || sigaddset(&one, number) != 0) {
		errno = EINVAL;
		return SIG_ERR;
	}
	if (disposition == SIG_HOLD) {
		if (sigprocmask(SIG_BLOCK, &one, &before) != 0 ||
		    sigaction(number, NULL, &old) != 0) {
			return SIG_ERR;
		}
	} else {
		old.sa_handler = set_handler(number, disposition, 0, false);
		if (old.sa_handler == SIG_ERR ||
		    sigprocmask(SIG_UNBLOCK, &one, &before) != 0) {
			return SIG_ERR;
		}
	}
	return sigismember(&before, number) == 1 ? SIG_HOLD : old.sa_handler;
}

/* --- alternate stacks --- */

KT_INTERPOSE int sigaltstack(const stack_t *stack, stack_t *old)
{
	return result(kt_signals_altstack(stack, old));
}

/* Other names that libc exports, some only for old libraries. */
KT_SECOND_NAME(__sigaction, sigaction);
KT_SECOND_NAME(ssignal, signal);
KT_SECOND_NAME(bsd_signal, signal);
KT_SECOND_NAME(sysv_signal, __sysv_signal);

static uint64_t bits(const sigset_t *set)
{
	uint64_t mask;

	memcpy(&mask, set, sizeof(mask));
	return mask;
}

/* --- the mask --- */

static int change_mask(int how, const sigset_t *set, sigset_t *old)
{
	uint64_t asked;

	if (set) {
		asked = bits(set) & ~KT_LIBC_SIGNALS;
	}
	return (int)-kt_signals_mask(how, set ? &asked : NULL, (void *)old, sizeof(asked));
}

KT_INTERPOSE int pthread_sigmask(int how, const sigset_t *set, sigset_t *old)
{
	if (kt_tracer_is_stopped(__builtin_return_address(0))) {
		if (old) {
			sigemptyset(old);
		}
		return 0;
	}
	return change_mask(how, set, old);
}

KT_INTERPOSE int sigprocmask(int how, const sigset_t *set, sigset_t *old)
{
	int error = change_mask(how, set, old);

	if (error) {
		errno = error;
		return -1;
	}
	return 0;
}

/* Changes the mask of signals 1 to 32, for the functions of 4.3BSD. */
static int old_mask(int how, int mask, int *before)
{
	uint64_t asked = (uint32_t)mask;
	uint64_t seen = 0;
	long error = kt_signals_mask(how, &asked, &seen, sizeof(asked));

	*before = (int)(uint32_t)seen;
	return error ? -1 : 0;
}

KT_INTERPOSE int sigblock(int mask)
{
	int before;

	return old_mask(SIG_BLOCK, mask, &before) ? -1 : before;
}

KT_INTERPOSE int sigsetmask(int mask)
{
	int before;

	return old_mask(SIG_SETMASK, mask, &before) ? -1 : before;
}

KT_INTERPOSE int siggetmask(void);

KT_INTERPOSE int siggetmask(void)
{
	int before;

	return old_mask(SIG_BLOCK, 0, &before) ? -1 : before;
}

static int change_one(int how, int number)
{
	sigset_t one;

	sigemptyset(&one);
	return sigaddset(&one, number) == 0 ? sigprocmask(how, &one, NULL) : -1;
}

KT_INTERPOSE int sighold(int number)
{
	return change_one(SIG_BLOCK, number);
}

KT_INTERPOSE int sigrelse(int number)
{
	return change_one(SIG_UNBLOCK, number);
}

KT_INTERPOSE int pthread_attr_setsigmask_np(pthread_attr_t *attributes, const sigset_t *set)
{
	sigset_t buffer;

	return kt_next()->pthread_attr_setsigmask_np(attributes,
						     kt_mask_translated(set, &buffer));
}

KT_INTERPOSE int pthread_attr_getsigmask_np(const pthread_attr_t *attributes, sigset_t *set)
{
	int result = kt_next()->pthread_attr_getsigmask_np(attributes, set);
	uint64_t seen;

	if (result == 0) {
		seen = kt_mask_to_application(bits(set));
		memcpy(set, &seen, sizeof(seen));
	}
	return result;
}

/* --- pending signals --- */

KT_INTERPOSE int sigpending(sigset_t *set)
{
	return result(kt_signals_all_pending((void *)set));
}

static long libc_wait(const uint64_t *set, siginfo_t *info, const void *timeout)
{
	sigset_t same;
	int number;

	sigemptyset(&same);
	memcpy(&same, set, sizeof(*set));
	number = kt_next()->sigtimedwait(&same, info, timeout);
	return number < 0 ? -errno : number;
}

static int wait_for(const sigset_t *set, siginfo_t *info, const struct timespec *timeout)
{
	siginfo_t own;
	long number = kt_signals_wait((const void *)set, &own, timeout, libc_wait);

	if (number > 0 && info) {
		*info = own;
		if (own.si_code == SI_TKILL) { /* libc reports SI_USER instead */
			info->si_code = SI_USER;
		}
	}
	return result(number);
}

KT_INTERPOSE int sigtimedwait(const sigset_t *set, siginfo_t *info,
			      const struct timespec *timeout)
{
	return wait_for(set, info, timeout);
}

KT_INTERPOSE int sigwaitinfo(const sigset_t *set, siginfo_t *info)
{
	return wait_for(set, info, NULL);
}

KT_INTERPOSE int sigwait(const sigset_t *set, int *number)
{
	int saved = errno;
	int error;
	int got;

	do {
		got = wait_for(set, NULL, NULL);
	} while (got < 0 && errno == EINTR);
	error = got < 0 ? errno : 0;
	if (!error) {
		*number = got;
	}
	errno = saved;
	return error;
}

KT_INTERPOSE int signalfd(int fd, const sigset_t *set, int flags)
{
	return result(kt_signals_signalfd(fd, (const void *)set, sizeof(uint64_t), flags));
}

KT_INTERPOSE int sigsuspend(const sigset_t *set)
{
	struct kt_again again;
	sigset_t buffer;
	int result;

	kt_again_begin(&again, set, NULL);
	do {
		result = kt_next()->sigsuspend(kt_mask_translated(set, &buffer));
	} while (kt_again(&again, result));
	return result;
}

static int pause_with(int number_or_mask, bool is_number)
{
	sigset_t set;
	uint64_t mask;

	if (is_number) {
		if (sigprocmask(SIG_BLOCK, NULL, &set) != 0 ||
		    sigdelset(&set, number_or_mask) != 0) {
			return -1;
		}
	} else {
		sigemptyset(&set);
		mask = (uint32_t)number_or_mask;
		memcpy(&set, &mask, sizeof(mask));
	}
	return sigsuspend(&set);
}

/* libc's own sigpause takes a mask; X/Open's takes a signal number. */
KT_INTERPOSE int kt_bsd_sigpause(int mask) __asm__("sigpause");
KT_INTERPOSE int __sigpause(int number_or_mask, int is_number);
KT_INTERPOSE int __xpg_sigpause(int number);

KT_INTERPOSE int kt_bsd_sigpause(int mask)
{
	return pause_with(mask, false);
}

KT_INTERPOSE int __sigpause(int number_or_mask, int is_number)
{
	return pause_with(number_or_mask, is_number);
}

KT_INTERPOSE int __xpg_sigpause(int number)
{
	return pause_with(number, true);
}

KT_SECOND_NAME(__sigsuspend, sigsuspend);
