/* SPDX-License-Identifier: MIT */
/* What a thread blocks and waits for. The recorder's signals are never really blocked. */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/signalfd.h>

#include "collect/preload/handlers/signal-entry.h"
#include "collect/preload/handlers/system-signals.h"
#include "collect/preload/handlers/waits-again.h"
#include "collect/preload/interpose/interpose-masks.h"
#include "collect/preload/process/interpose.h"
#include "collect/preload/process/kernel.h"
#include "collect/preload/process/real.h"
#include "collect/preload/process/tracer.h"
#include "collect/preload/signals/signal-actions.h"
#include "collect/preload/signals/signal-carry.h"
#include "collect/preload/signals/signal-mask.h"

/* Signals of libc's own, which it never lets a program block. */
#define LIBC_SIGNALS (KT_SIGNAL_BIT(32) | KT_SIGNAL_BIT(33))

static uint64_t bits(const sigset_t *set)
{
	uint64_t mask;

	memcpy(&mask, set, sizeof(mask));
	return mask;
}

const sigset_t *kt_mask_translated(const sigset_t *set, sigset_t *buffer)
{
	uint64_t mask;

	if (!set) {
		return NULL;
	}
	mask = kt_mask_to_kernel(bits(set));
	*buffer = *set;
	memcpy(buffer, &mask, sizeof(mask));
	return buffer;
}

/* --- the mask itself --- */

static int change_mask(int how, const sigset_t *set, sigset_t *old)
{
	uint64_t asked;

	if (set) {
		asked = bits(set) & ~LIBC_SIGNALS;
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

/* The first 32 signals, as 4.3BSD had them. */
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

	return kt_real()->pthread_attr_setsigmask_np(attributes,
						     kt_mask_translated(set, &buffer));
}

KT_INTERPOSE int pthread_attr_getsigmask_np(const pthread_attr_t *attributes, sigset_t *set)
{
	int result = kt_real()->pthread_attr_getsigmask_np(attributes, set);
	uint64_t seen;

	if (result == 0) {
		seen = kt_mask_to_application(bits(set));
		memcpy(set, &seen, sizeof(seen));
	}
	return result;
}

/* --- what waits --- */

KT_INTERPOSE int sigpending(sigset_t *set)
{
	uint64_t pending = 0;

	KT_KERNEL(SYS_rt_sigpending, &pending, sizeof(pending));
	pending = kt_signals_pending(pending);
	memcpy(set, &pending, sizeof(pending));
	return 0;
}

/* A signal of ours may come as itself, or as the carrier for which it waited. */
static int wait_for(const sigset_t *set, siginfo_t *info, const struct timespec *timeout)
{
	uint64_t mask = bits(set);
	sigset_t both = *set;
	siginfo_t own;
	int number;

	mask |= kt_mask_to_kernel(mask);
	memcpy(&both, &mask, sizeof(mask));
	number = kt_real()->sigtimedwait(&both, &own, timeout);
	if (number > 0) {
		number = kt_carry_undo(number, &own);
		if (own.si_code == SI_TKILL) { /* as libc shows it */
			own.si_code = SI_USER;
		}
		if (info) {
			*info = own;
		}
	}
	return number;
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
	long result = kt_signals_signalfd(fd, (const void *)set, sizeof(uint64_t), flags);

	if (result < 0) {
		errno = (int)-result;
		return -1;
	}
	return (int)result;
}

KT_INTERPOSE int sigsuspend(const sigset_t *set)
{
	struct kt_again again;
	sigset_t buffer;
	int result;

	kt_again_begin(&again, set, NULL);
	do {
		result = kt_real()->sigsuspend(kt_mask_translated(set, &buffer));
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

/* libc has it with a mask under its own name, with a number under that of X/Open. */
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
