/* SPDX-License-Identifier: MIT */
/*
 * The process as its calls show it: where its words begin and end, its forks, its threads,
 * and what is loaded into it.
 */
#ifndef KTAIL_COLLECT_PROCESS_INSTANCE_H
#define KTAIL_COLLECT_PROCESS_INSTANCE_H

#include <signal.h>
#include <stdbool.h>

#include "collect/preload/emit/loader-locks.h"
#include "collect/preload/emit/lock.h"
#include "lttng-providers/ust/gpu-stack-events.h"

/* Finds LTTng's functions for forks and threads; after the provider is loaded. */
void kt_process_init(void);

/* --- words --- */

/*
 * The first word of the process begins, with this event. A copy of it is kept for those of
 * forked children: its texts must live as long as the process. The lock is held.
 */
void kt_instance_begin(const struct kt_event_process_begin *event);

/* The process is about to end ("exit") or to become another program ("exec"). */
void kt_instance_end(const char *reason);

/* exec has failed after all: the process goes on. */
void kt_instance_resume(void);

/* In a forked child, after LTTng has been told. */
void kt_instance_fork_child(void);

/* --- forks --- */

/* What is kept from before a fork until after it. */
struct kt_fork {
	sigset_t signals;               /* LTTng's: it blocks all of them */
	struct kt_signals_saved before; /* the thread's, before the lock was taken */
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

/* --- threads --- */

/* Finds LTTng's function for new threads; after the provider is loaded. */
void kt_threads_init(void);

/* Whether the calling thread is the program's only one. */
bool kt_threads_alone(void);

/* In a forked child: it has one thread. */
void kt_threads_after_fork(void);

/* --- what is loaded (dlsym and similar) --- */

/*
 * At start, once kt_api_mode is known: looks for what was loaded with the program, if API
 * calls are to be wrapped.
 */
void kt_dlsym_init(void);

/* Looks for what was loaded since, if they are. Not with the recorder's lock. */
void kt_dlsym_scan(void);

#endif
