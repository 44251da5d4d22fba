/* SPDX-License-Identifier: MIT */
/*
 * The process instance: beginning and end of its words, forks, threads and loaded objects.
 */
#ifndef KTAIL_COLLECT_PROCESS_INSTANCE_H
#define KTAIL_COLLECT_PROCESS_INSTANCE_H

#include <signal.h>
#include <stdbool.h>

#include "collect/preload/emit/loader-locks.h"
#include "collect/preload/emit/lock.h"
#include "lttng-providers/ust/gpu-stack-events.h"

/* Finds LTTng's functions for forks and threads; call after the provider is loaded. */
void kt_process_init(void);

/* --- words --- */

/*
 * Begins the first word of the process with this event. Forked children begin with a copy
 * of the event, so its texts must stay valid until the process ends. The caller holds the
 * lock.
 */
void kt_instance_begin(const struct kt_event_process_begin *event);

/*
 * Ends the word. `reason` says why: the process is about to end ("exit") or to become
 * another program ("exec"), or it installs a system-call filter ("filter").
 */
void kt_instance_end(const char *reason);

/* Call if an exec has failed: the process continues with another word. */
void kt_instance_resume(void);

/* Call in a forked child, after LTTng was notified of the fork: begins its first word. */
void kt_instance_fork_child(void);

/* --- forks --- */

/* State kept from before a fork until after it. */
struct kt_fork {
	sigset_t signals;               /* mask before LTTng blocked all signals */
	struct kt_signals_saved before; /* the thread's mask before the lock was taken */
	struct kt_loader_locks loader;
	bool locked;
	bool looking; /* result of kt_api_imports_before_fork() */
};

/*
 * Call after the provider is loaded, and before the application registers fork handlers of
 * its own.
 */
void kt_fork_init(void);

/*
 * For a call that copies this process and does not run the handlers of pthread_atfork(3):
 * call kt_fork_before() before it and, after it, kt_fork_parent() in the parent and
 * kt_fork_child() in the child. All keep errno.
 */
void kt_fork_before(struct kt_fork *state);
void kt_fork_parent(struct kt_fork *state);
void kt_fork_child(struct kt_fork *state);

/*
 * Stops LTTng for good by keeping its locks, for which LTTng's threads then wait. Only the
 * calling thread, which must be the program's only one, can take the locks again. LTTng's
 * destructor can therefore run in the calling thread, and does not wait for LTTng's
 * threads.
 */
void kt_fork_hold_lttng(void);

/* --- threads --- */

/* Finds LTTng's function for new threads; call after the provider is loaded. */
void kt_threads_init(void);

/* Returns whether the calling thread is the program's only one. */
bool kt_threads_alone(void);

/* Call in a forked child, which has one thread. */
void kt_threads_after_fork(void);

/* --- loaded objects (dlsym and similar) --- */

/*
 * If API calls are to be wrapped, scans the objects loaded with the program. Call at start,
 * once kt_api_mode is known.
 */
void kt_dlsym_init(void);

/*
 * If API calls are wrapped, scans the objects loaded since the last scan. The caller must
 * not hold the recorder's lock.
 */
void kt_dlsym_scan(void);

#endif
