/* SPDX-License-Identifier: MIT */
/* What is done around each fork, however it is made. */
#ifndef KTAIL_COLLECT_INTERPOSE_FORK_H
#define KTAIL_COLLECT_INTERPOSE_FORK_H

#include <signal.h>
#include <stdbool.h>

#include "collect/preload/emit/loader-locks.h"
#include "collect/preload/emit/lock.h"

/* What is kept from before a fork until after it. */
struct kt_fork {
	sigset_t signals;       /* LTTng's: it blocks all of them */
	struct kt_quiet before; /* what the thread was open to before the lock was taken */
	struct kt_loader_locks loader;
	bool locked;
	bool looking; /* no other thread may look through what is loaded */
};

/* After the provider is loaded, and before the application registers handlers of its own.
 */
void kt_fork_init(void);

/*
 * Before a call that copies this process, and after it in either of the two. For those that
 * do not run the handlers of pthread_atfork(3). Keep errno.
 */
void kt_fork_before(struct kt_fork *state);
void kt_fork_parent(struct kt_fork *state);
void kt_fork_child(struct kt_fork *state);

/*
 * For good: LTTng's threads stand still at its lock, which this thread may take again. So
 * it does not wait for them in LTTng's destructor. It must be the program's only thread.
 */
void kt_fork_hold_lttng(void);

#endif
