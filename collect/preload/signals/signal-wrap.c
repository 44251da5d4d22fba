/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "collect/preload/signals/signal-wrap.h"

#include <stdatomic.h>
#include <stddef.h>

#include "collect/preload/process/kernel.h"
#include "collect/preload/signals/signal-carry.h"
#include "collect/preload/signals/signal-defer.h"
#include "collect/preload/signals/signal-mask.h"

/*
 * Signals whose default action ends the process. Not those that an instruction of the
 * thread causes (SIGILL, SIGABRT, SIGFPE, SIGSYS): none is within a critical section.
 */
#define ENDING                                                                             \
	(KT_SIGNAL_BIT(SIGHUP) | KT_SIGNAL_BIT(SIGINT) | KT_SIGNAL_BIT(SIGQUIT) |          \
	 KT_SIGNAL_BIT(SIGUSR1) | KT_SIGNAL_BIT(SIGUSR2) | KT_SIGNAL_BIT(SIGPIPE) |        \
	 KT_SIGNAL_BIT(SIGALRM) | KT_SIGNAL_BIT(SIGTERM) | KT_SIGNAL_BIT(SIGXCPU) |        \
	 KT_SIGNAL_BIT(SIGXFSZ) | KT_SIGNAL_BIT(SIGVTALRM) | KT_SIGNAL_BIT(SIGPROF) |      \
	 KT_SIGNAL_BIT(SIGIO) | KT_SIGNAL_BIT(SIGPWR) | REALTIME)
#define REALTIME (~UINT64_C(0) << 33) /* 34 to 64 */

_Atomic uintptr_t kt_wrapped_handlers[KT_SIGNALS + 1];

static uint64_t wrapped; /* signals that may be wrapped; 0: wrapping is off */
static uint64_t ending;  /* signals whose default action is wrapped */
static void *restorer_of_libc;

/*
 * What the kernel's action does not tell of the application's: flags and mask of a default
 * action, SA_SIGINFO of a handler's.
 */
static struct kt_action asked[KT_SIGNALS + 1];

static bool is_handler(uintptr_t handler)
{
	return handler != KT_SIG_DFL && handler != KT_SIG_IGN;
}

static bool is_entry(const struct kt_action *action)
{
	return action->handler == (uintptr_t)kt_wrapped_entry;
}

static bool may_wrap(int signal)
{
	return signal >= 1 && signal <= KT_SIGNALS && wrapped & KT_SIGNAL_BIT(signal);
}

static long kernel_action(int signal, const struct kt_action *action, struct kt_action *old)
{
	return KT_KERNEL(SYS_rt_sigaction, signal, action, old, sizeof(uint64_t));
}

void kt_wrap(int signal, struct kt_action *action, struct kt_action *former)
{
	if (!may_wrap(signal)) {
		*former = (struct kt_action){.handler = KT_SIG_DFL};
		return;
	}
	*former = asked[signal];
	former->handler = atomic_load(&kt_wrapped_handlers[signal]);
	if (!action) {
		return;
	}
	if (is_handler(action->handler)) {
		asked[signal] = *action;
		former->handler =
			atomic_exchange(&kt_wrapped_handlers[signal], action->handler);
		action->handler = (uintptr_t)kt_wrapped_entry;
		/* The kernel fills the siginfo, which says who has sent the signal. */
		action->flags |= SA_SIGINFO;
	} else if (action->handler == KT_SIG_DFL && ending & KT_SIGNAL_BIT(signal)) {
		asked[signal] = *action;
		former->handler =
			atomic_exchange(&kt_wrapped_handlers[signal], action->handler);
		*action = (struct kt_action){
			.handler = (uintptr_t)kt_wrapped_entry,
			.flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART | KT_SA_RESTORER,
			.restorer = restorer_of_libc,
			.mask = ~KT_OUR_MASK,
		};
	}
}

void kt_wrap_former(struct kt_action *old, const struct kt_action *former)
{
	if (!is_entry(old)) {
		return;
	}
	if (former->handler == KT_SIG_DFL) {
		*old = *former;
	} else {
		old->handler = former->handler;
		old->flags &= former->flags | ~(unsigned long)SA_SIGINFO;
	}
}

struct kt_action kt_wrap_taken(int signal)
{
	struct kt_action action = {.handler = KT_SIG_DFL};

	kernel_action(signal, NULL, &action);
	if (action.handler != KT_SIG_IGN) {
		action.handler = atomic_load(&kt_wrapped_handlers[signal]);
	}
	return action;
}

void kt_wrap_put_back(int signal, const siginfo_t *info)
{
	long pid = KT_KERNEL(SYS_getpid, 0);
	long tid = KT_KERNEL(SYS_gettid, 0);
	struct kt_action action;

	if (kernel_action(signal, NULL, &action) == 0 && action.flags & SA_RESETHAND &&
	    action.handler == KT_SIG_DFL) {
		action.handler = (uintptr_t)kt_wrapped_entry;
		kernel_action(signal, &action, NULL);
	}
	if (KT_KERNEL(SYS_rt_tgsigqueueinfo, pid, tid, signal, info) != 0) {
		KT_KERNEL(SYS_tgkill, pid, tid, signal);
	}
}

void kt_wrap_search(void)
{
	struct kt_action action;

	for (int signal = 1; signal <= KT_SIGNALS && !atomic_load(&kt_signals_unwrapped);
	     signal++) {
		if (may_wrap(signal) && kernel_action(signal, NULL, &action) == 0 &&
		    is_handler(action.handler) && !is_entry(&action)) {
			atomic_store(&kt_signals_unwrapped, 1);
		}
	}
}

void kt_wrap_install(uint64_t except, void *restorer)
{
	struct kt_action action;
	struct kt_action former;

	restorer_of_libc = restorer;
	/* The kernel drops such signals of process 1, without ending its system calls. */
	ending = KT_KERNEL(SYS_getpid, 0) == 1 ? 0 : ENDING;
	wrapped = ~(except | KT_LIBC_SIGNALS | KT_SIGNAL_BIT(SIGKILL) |
		    KT_SIGNAL_BIT(SIGSTOP));
	for (int signal = 1; signal <= KT_SIGNALS; signal++) {
		if (may_wrap(signal) && kernel_action(signal, NULL, &action) == 0) {
			action.mask = kt_mask_to_kernel(action.mask);
			kt_wrap(signal, &action, &former);
			kernel_action(signal, &action, NULL);
		}
	}
	atomic_store(&kt_signals_unwrapped, 0);
	kt_wrap_search();
}

void kt_wrap_give_back(void)
{
	struct kt_action action;
	struct kt_action former;

	for (int signal = 1; signal <= KT_SIGNALS; signal++) {
		if (may_wrap(signal) && kernel_action(signal, NULL, &action) == 0 &&
		    is_entry(&action)) {
			kt_wrap(signal, NULL, &former);
			kt_wrap_former(&action, &former);
			kernel_action(signal, &action, NULL);
		}
	}
	wrapped = 0;
	atomic_store(&kt_signals_unwrapped, 1);
}
