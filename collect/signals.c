/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "collect/signals.h"

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#include "collect/access.h"
#include "collect/doorbell.h"
#include "collect/interpose.h"
#include "collect/lock.h"
#include "collect/pages.h"
#include "collect/real.h"

#define PAGE_FAULT_WRITE 2 /* bit of the page-fault error code */

static bool installed;

/* What the application asked for, in place of what is really installed. */
static struct {
	int signal;
	struct sigaction action;
} kept[] = {{.signal = SIGSEGV}, {.signal = SIGTRAP}};

static struct sigaction *kept_action(int signal)
{
	for (size_t i = 0; installed && i < sizeof(kept) / sizeof(kept[0]); i++) {
		if (kept[i].signal == signal) {
			return &kept[i].action;
		}
	}
	return NULL;
}

/* Dies as the application would have: the default action, then the signal once more. */
static void die(int signal, const siginfo_t *info)
{
	struct sigaction action = {.sa_handler = SIG_DFL};

	kt_real()->sigaction(signal, &action, NULL);
	if (info->si_code <= 0 || signal == SIGTRAP) {
		syscall(SYS_tgkill, getpid(), (pid_t)kt_tid(), signal);
	}
	/* A fault comes again when the instruction is run again. */
}

static void pass_on(int signal, siginfo_t *info, void *context)
{
	struct sigaction action = *kept_action(signal);
	sigset_t before;

	if (action.sa_handler == SIG_DFL ||
	    (action.sa_handler == SIG_IGN && info->si_code > 0)) {
		die(signal, info);
		return;
	}
	if (action.sa_handler == SIG_IGN) {
		return;
	}
	if (action.sa_flags & SA_RESETHAND) {
		kept_action(signal)->sa_handler = SIG_DFL;
	}
	kt_real()->pthread_sigmask(SIG_BLOCK, &action.sa_mask, &before);
	if (action.sa_flags & SA_SIGINFO) {
		action.sa_sigaction(signal, info, context);
	} else {
		action.sa_handler(signal);
	}
	kt_real()->pthread_sigmask(SIG_SETMASK, &before, NULL);
}

static void on_fault(int signal, siginfo_t *info, void *context)
{
	ucontext_t *user = context;
	bool write = user->uc_mcontext.gregs[REG_ERR] & PAGE_FAULT_WRITE;
	int saved = errno;

	if (info->si_code <= 0 || !kt_access_fault((uintptr_t)info->si_addr, write, user)) {
		errno = saved;
		pass_on(signal, info, context);
	}
	errno = saved;
}

static void on_trap(int signal, siginfo_t *info, void *context)
{
	int saved = errno;

	if (!kt_doorbell_trap(info, context) && !kt_pages_trap(info, context)) {
		errno = saved;
		pass_on(signal, info, context);
	}
	errno = saved;
}

void kt_signals_install(void)
{
	struct sigaction fault = {.sa_sigaction = on_fault,
				  .sa_flags = SA_SIGINFO | SA_NODEFER};
	struct sigaction trap = {.sa_sigaction = on_trap,
				 .sa_flags = SA_SIGINFO | SA_NODEFER};
	sigset_t ours;

	kt_real()->sigaction(SIGSEGV, &fault, &kept[0].action);
	kt_real()->sigaction(SIGTRAP, &trap, &kept[1].action);
	installed = true;
	sigemptyset(&ours);
	sigaddset(&ours, SIGSEGV);
	sigaddset(&ours, SIGTRAP);
	kt_real()->pthread_sigmask(SIG_UNBLOCK, &ours, NULL);
}

/* A thread that blocked our signals would be killed at its first watched access. */
static const sigset_t *without_ours(int how, const sigset_t *set, sigset_t *buffer)
{
	if (!installed || !set || how == SIG_UNBLOCK) {
		return set;
	}
	*buffer = *set;
	sigdelset(buffer, SIGSEGV);
	sigdelset(buffer, SIGTRAP);
	return buffer;
}

KT_INTERPOSE int sigaction(int signal, const struct sigaction *action,
			   struct sigaction *old)
{
	struct sigaction *slot = kept_action(signal);
	struct sigaction copy;

	if (slot) {
		copy = *slot;
		if (action) {
			*slot = *action;
		}
		if (old) {
			*old = copy;
		}
		return 0;
	}
	if (action) {
		sigset_t buffer;

		copy = *action;
		copy.sa_mask = *without_ours(SIG_BLOCK, &action->sa_mask, &buffer);
		action = &copy;
	}
	return kt_real()->sigaction(signal, action, old);
}

static sighandler_t set_handler(int number, sighandler_t handler, int flags)
{
	struct sigaction action = {.sa_handler = handler, .sa_flags = flags};
	struct sigaction old;

	return sigaction(number, &action, &old) == 0 ? old.sa_handler : SIG_ERR;
}

KT_INTERPOSE sighandler_t signal(int number, sighandler_t handler)
{
	return set_handler(number, handler, SA_RESTART);
}

KT_INTERPOSE sighandler_t ssignal(int number, sighandler_t handler)
{
	return set_handler(number, handler, SA_RESTART);
}

/* What signal() becomes in programs that ask for strict ISO C; no header declares it. */
KT_INTERPOSE sighandler_t __sysv_signal(int number, sighandler_t handler);

KT_INTERPOSE sighandler_t __sysv_signal(int number, sighandler_t handler)
{
	return set_handler(number, handler, (int)(SA_RESETHAND | SA_NODEFER));
}

KT_INTERPOSE sighandler_t sysv_signal(int number, sighandler_t handler)
{
	return set_handler(number, handler, (int)(SA_RESETHAND | SA_NODEFER));
}

KT_INTERPOSE int sigprocmask(int how, const sigset_t *set, sigset_t *old)
{
	sigset_t buffer;

	return kt_real()->sigprocmask(how, without_ours(how, set, &buffer), old);
}

KT_INTERPOSE int pthread_sigmask(int how, const sigset_t *set, sigset_t *old)
{
	sigset_t buffer;

	return kt_real()->pthread_sigmask(how, without_ours(how, set, &buffer), old);
}

void kt_signals_before_exec(void)
{
}

void kt_signals_after_exec(void)
{
}
