/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "collect/preload/handlers/system-signals.h"

#include <errno.h>
#include <signal.h>

#include "collect/preload/handlers/signal-entry.h"
#include "collect/preload/handlers/signals.h"
#include "collect/preload/process/kernel.h"
#include "collect/preload/process/signal-frame.h"
#include "collect/preload/signals/signal-actions.h"
#include "collect/preload/signals/signal-carry.h"

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
	long *set = NULL; /* where the call has its set, if that has the kernel's size */

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

/* --- calls that take signals, or say which wait --- */

static long pending_signals(uint64_t *set, size_t size)
{
	uint64_t pending = 0;

	if (size != sizeof(pending)) {
		return KT_KERNEL(SYS_rt_sigpending, set, size);
	}
	KT_KERNEL(SYS_rt_sigpending, &pending, sizeof(pending));
	pending = kt_signals_pending(pending);
	return kt_guarded_copy(set, &pending, sizeof(pending)) ? 0 : -EFAULT;
}

static long wait_for(const uint64_t *set, siginfo_t *info, const void *timeout, size_t size)
{
	uint64_t asked;
	siginfo_t own;
	long number;

	if (size != sizeof(asked) || !kt_guarded_copy(&asked, set, sizeof(asked))) {
		return KT_KERNEL(SYS_rt_sigtimedwait, set, info, timeout, size);
	}
	asked |= kt_mask_to_kernel(asked);
	number = KT_KERNEL(SYS_rt_sigtimedwait, &asked, &own, timeout, size);
	if (number > 0) {
		number = kt_carry_undo((int)number, &own);
		if (info && !kt_guarded_copy(info, &own, sizeof(own))) {
			return -EFAULT;
		}
	}
	return number;
}

/* Itself, for a program after an exec that is not recorded; and its carrier. */
long kt_signals_signalfd(int fd, const uint64_t *set, size_t size, int flags)
{
	uint64_t asked;

	if (size != sizeof(asked) || !kt_guarded_copy(&asked, set, sizeof(asked))) {
		return KT_KERNEL(SYS_signalfd4, fd, set, size, flags);
	}
	asked |= kt_mask_to_kernel(asked);
	return KT_KERNEL(SYS_signalfd4, fd, &asked, size, flags);
}

bool kt_system_signal(const struct kt_system_call *s, long *result)
{
	switch (s->number) {
	case SYS_rt_sigaction:
		*result = kt_signals_action((int)s->a, (void *)s->b, (void *)s->c,
					    (size_t)s->d);
		return true;
	case SYS_rt_sigprocmask:
		*result = kt_signals_mask((int)s->a, (void *)s->b, (void *)s->c,
					  (size_t)s->d);
		return true;
	case SYS_sigaltstack:
		*result = kt_signals_altstack((void *)s->a, (void *)s->b);
		return true;
	case SYS_rt_sigpending:
		*result = pending_signals((void *)s->a, (size_t)s->b);
		return true;
	case SYS_rt_sigtimedwait:
		*result = wait_for((void *)s->a, (void *)s->b, (void *)s->c, (size_t)s->d);
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
