/* SPDX-License-Identifier: MIT */
/* Actions of signals and alternate stacks, by all the names that libc has for them. */
#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <string.h>

#include "collect/preload/handlers/signals.h"
#include "collect/preload/process/interpose.h"
#include "collect/preload/process/real.h"

static int result(long code)
{
	if (code < 0) {
		errno = (int)-code;
		return -1;
	}
	return (int)code;
}

static uint64_t *bits(sigset_t *set)
{
	return (uint64_t *)(void *)set;
}

/* --- sigaction and kin --- */

static int kept_action(int number, const struct sigaction *action, struct sigaction *old)
{
	struct kt_action now;
	struct kt_action before;
	long error;

	if (action) {
		now.handler = (uintptr_t)action->sa_handler;
		now.flags = (unsigned long)action->sa_flags & UINT32_MAX;
		now.restorer = NULL;
		memcpy(&now.mask, &action->sa_mask, sizeof(now.mask));
	}
	error = kt_signals_action(number, action ? &now : NULL, &before,
				  sizeof(before.mask));
	if (!error && old) {
		memset(old, 0, sizeof(*old));
		old->sa_handler = (sighandler_t)before.handler;
		old->sa_flags = (int)before.flags;
		*bits(&old->sa_mask) = before.mask;
	}
	return result(error);
}

KT_INTERPOSE int sigaction(int number, const struct sigaction *action,
			   struct sigaction *old)
{
	struct sigaction copy;
	int error;

	if (kt_signals_keeps(number)) {
		return kept_action(number, action, old);
	}
	if (action) {
		copy = *action;
		kt_signals_note((uintptr_t)copy.sa_handler);
		*bits(&copy.sa_mask) = kt_mask_to_kernel(*bits(&copy.sa_mask));
		action = &copy;
	}
	error = kt_real()->sigaction(number, action, old);
	if (!error && old) {
		*bits(&old->sa_mask) = kt_mask_to_application(*bits(&old->sa_mask));
	}
	return error;
}

/* Signals whose handlers end system calls: siginterrupt(3). */
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

/* What signal() becomes in programs that ask for strict ISO C; no header declares it. */
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

/* Names that libc exports besides, also for libraries that were built long ago. */
KT_SECOND_NAME(__sigaction, sigaction);
KT_SECOND_NAME(ssignal, signal);
KT_SECOND_NAME(bsd_signal, signal);
KT_SECOND_NAME(sysv_signal, __sysv_signal);
