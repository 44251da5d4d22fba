/* SPDX-License-Identifier: MIT */
/*
 * fork and similar calls. A fork copies only the calling thread, but all locks in their
 * current state. The recorder's and LTTng's locks are therefore taken before a fork, and no
 * other thread may scan libraries for the recorder, because a scan takes the loader's lock.
 * The recorder's lock is taken first, because a thread that holds it may be waiting for
 * LTTng's. Both are taken after all fork handlers of the application and its libraries have
 * run, because a thread that holds a lock of the application or a library may be waiting
 * for the recorder's.
 */
#define _GNU_SOURCE
#include "collect/preload/interpose/process-instance.h"

#include <assert.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "collect/preload/api/api-imports.h"
#include "collect/preload/emit/join.h"
#include "collect/preload/emit/lock.h"
#include "collect/preload/handlers/signals.h"
#include "collect/preload/process/counters.h"
#include "collect/preload/process/interpose.h"
#include "collect/preload/process/process.h"
#include "collect/preload/process/next.h"
#include "collect/preload/process/tracer.h"
#include "collect/preload/signals/signal-defer.h"
#include "collect/preload/submissions/ring-stores.h"

/* They block all signals, so that none is delivered to a child before it is set up. */
static void hold_signals(sigset_t *before)
{
	sigset_t all;

	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, before);
}

static void let_signals_in(sigset_t *before)
{
	sigprocmask(SIG_SETMASK, before, NULL);
}

/* Functions of liblttng-ust, which do the same, or these if it is not there. */
static struct {
	void (*before_fork)(sigset_t *);
	void (*after_fork_parent)(sigset_t *);
	void (*after_fork_child)(sigset_t *);
} lttng = {hold_signals, let_signals_in, let_signals_in};

/*
 * liblttng-ust-fork.so, if it is preloaded, too, calls these in its fork(), clone() and
 * daemon(), which may be called by the recorder's or call them. It would take LTTng's locks
 * before the recorder's, or a second time, and wait for ever. So its calls do nothing.
 */
KT_INTERPOSE void lttng_ust_before_fork(sigset_t *signals);
KT_INTERPOSE void lttng_ust_after_fork_parent(sigset_t *signals);
KT_INTERPOSE void lttng_ust_after_fork_child(sigset_t *signals);

KT_INTERPOSE void lttng_ust_before_fork(sigset_t *signals)
{
	(void)signals;
}

KT_INTERPOSE void lttng_ust_after_fork_parent(sigset_t *signals)
{
	(void)signals;
}

KT_INTERPOSE void lttng_ust_after_fork_child(sigset_t *signals)
{
	(void)signals;
}

void kt_fork_before(struct kt_fork *state)
{
	int error = errno;

	if (kt_process_is_stopped()) {
		return;
	}
	state->looking = kt_api_imports_before_fork();
	state->locked = kt_lock(); /* no other thread is within a critical section */
	state->before = kt_lock_signals_saved();
	lttng.before_fork(&state->signals);
	/*
	 * Takes the loader's locks last, because LTTng's threads hold LTTng's locks while
	 * they take the loader's locks to list libraries.
	 */
	kt_loader_hold(&state->loader);
	errno = error;
}

void kt_fork_parent(struct kt_fork *state)
{
	int error = errno;

	if (kt_process_is_stopped()) {
		return;
	}
	kt_loader_in_parent(&state->loader);
	lttng.after_fork_parent(&state->signals);
	kt_ring_all_unseen(); /* the child can store to the rings, unobserved */
	kt_api_imports_in_parent(state->looking);
	errno = error;
	kt_unlock(state->locked);
}

void kt_fork_child(struct kt_fork *state)
{
	int error = errno;

	if (kt_process_is_stopped()) {
		return;
	}
	kt_loader_in_child();
	kt_lock_after_fork();
	kt_deferred_after_fork();
	kt_threads_after_fork();
	kt_api_imports_in_child();
	lttng.after_fork_child(&state->signals);
	kt_join_after_fork();
	kt_instance_fork_child();
	if (state->locked) {
		kt_signals_restore(&state->before);
	}
	errno = error;
}

void kt_fork_hold_lttng(void)
{
	void *symbol = dlsym(RTLD_DEFAULT, "lttng_ust_urcu_after_fork_parent");
	void (*give_back_rcu)(void);
	sigset_t signals;

	/*
	 * Takes all of LTTng's locks, then releases those of LTTng's RCU. This thread could
	 * not take the locks of RCU a second time, but it can take the others.
	 */
	if (lttng.before_fork != hold_signals && symbol) {
		memcpy(&give_back_rcu, &symbol, sizeof(symbol));
		lttng.before_fork(&signals);
		give_back_rcu();
		sigprocmask(SIG_SETMASK, &signals, NULL);
	}
}

/* --- libc's forks: fork, and daemon and forkpty, which call libc's fork directly --- */

/* Protected by the recorder's lock from prepare() on. */
static struct kt_fork forking;

static void prepare(void)
{
	struct kt_fork state;

	kt_fork_before(&state);
	forking = state;
}

static void in_parent(void)
{
	struct kt_fork state = forking;

	kt_fork_parent(&state);
}

static void in_child(void)
{
	struct kt_fork state = forking;

	kt_fork_child(&state);
}

void kt_fork_init(void)
{
	void *symbols[] = {
		dlsym(RTLD_NEXT, "lttng_ust_before_fork"),
		dlsym(RTLD_NEXT, "lttng_ust_after_fork_parent"),
		dlsym(RTLD_NEXT, "lttng_ust_after_fork_child"),
	};

	static_assert(sizeof(symbols) == sizeof(lttng), "one symbol a member");
	kt_next_find_fork();
	kt_loader_locks_init();
	/*
	 * The three functions take and release LTTng's locks, so either all three are used
	 * or none is.
	 */
	if (!symbols[0] || !symbols[1] || !symbols[2]) {
		kt_count(&kt_counters->setup_failures);
	} else {
		memcpy(&lttng, symbols, sizeof(lttng));
	}
	/*
	 * Handlers before a fork run in reverse order of registration, handlers after a
	 * fork in order. The recorder's are registered before the application's, so they
	 * run right before and right after the fork.
	 */
	pthread_atfork(prepare, in_parent, in_child);
}

/*
 * Calls libc's fork directly. LTTng itself forks a short-lived child, which
 * creates a file with permissions that do not depend on the program's umask. For LTTng's
 * fork no handlers run, because the child is not a process of the program, and another
 * thread may be forking and hold the handlers' locks.
 */
KT_INTERPOSE pid_t fork(void)
{
	return kt_tracer_has_code(__builtin_return_address(0)) ? kt_next()->_Fork()
							       : kt_next_fork();
}

/* Replaces libc's daemon(), in which the parent does not call the interposed _exit(). */
KT_INTERPOSE int daemon(int nochdir, int noclose)
{
	pid_t child = fork();
	int null;

	if (child < 0) {
		return -1;
	}
	if (child > 0) {
		_exit(0);
	}
	if (setsid() < 0 || (!nochdir && chdir("/") != 0)) {
		return -1;
	}
	null = noclose ? -1 : open("/dev/null", O_RDWR);
	for (int fd = 0; null >= 0 && fd < 3; fd++) {
		dup2(null, fd);
	}
	if (null > 2) {
		close(null);
	}
	return noclose || null >= 0 ? 0 : -1;
}

/* --- forks that run no handlers --- */

KT_INTERPOSE pid_t _Fork(void)
{
	struct kt_fork state;
	pid_t child;

	kt_fork_before(&state);
	child = kt_next()->_Fork();
	if (child == 0) {
		kt_fork_child(&state);
	} else {
		kt_fork_parent(&state);
	}
	return child;
}

struct clone_start {
	int (*run)(void *);
	void *argument;
	struct kt_fork *state;
};

/*
 * Runs in a forked child, on the stack given to clone(); `argument` points to the child's
 * copy of the parent's stack.
 */
static int begin_clone(void *argument)
{
	const struct clone_start *start = argument;
	int status;

	kt_fork_child(start->state);
	status = start->run(start->argument);
	/*
	 * A return would end only this thread, not the child, which has a thread of LTTng's
	 * too.
	 */
	_exit(status);
}

/*
 * A child that shares its parent's memory is a thread or about to exec, so the call is
 * passed on unchanged. Any other call is a fork whose child continues in `run`.
 */
KT_INTERPOSE int clone(int (*run)(void *), void *stack, int flags, void *argument, ...)
{
	struct kt_fork state;
	struct clone_start start = {run, argument, &state};
	va_list args;
	pid_t *parent_tid;
	void *tls;
	pid_t *child_tid;
	int child;

	va_start(args, argument);
	parent_tid = va_arg(args, pid_t *);
	tls = va_arg(args, void *);
	child_tid = va_arg(args, pid_t *);
	va_end(args);
	if ((flags & CLONE_VM) || !run || !stack) {
		if ((flags & CLONE_VM) && !(flags & CLONE_THREAD)) {
			kt_process_shares_memory();
		}
		return kt_next()->clone(run, stack, flags, argument, parent_tid, tls,
					child_tid);
	}
	kt_fork_before(&state);
	child = kt_next()->clone(begin_clone, stack, flags, &start, parent_tid, tls,
				 child_tid);
	kt_fork_parent(&state);
	return child;
}

KT_SECOND_NAME(__clone, clone);
KT_SECOND_NAME(__fork, fork);
