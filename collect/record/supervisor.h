/* SPDX-License-Identifier: MIT */
/*
 * The supervisor: a child of ktail record that owns the session and its daemon. However
 * ktail record ends, even by SIGKILL, the supervisor notices, writes out the recording and
 * removes everything that the recording created for itself.
 */
#ifndef KTAIL_COLLECT_SUPERVISOR_H
#define KTAIL_COLLECT_SUPERVISOR_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "collect/record/daemon.h"
#include "collect/record/kernel-modules.h"
#include "collect/record/session.h"
#include "collect/record/folders.h"

struct kt_supervisor {
	pid_t pid;  /* 0: not started */
	int socket; /* Owned by this */
};

struct kt_supervisor_options {
	struct kt_session_options session;
	const struct kt_run_folder *folder; /* Weak */
	/*
	 * The trace folder's lock, which the supervisor keeps, too: if ktail record is
	 * killed, no other recording may take the folder while LTTng still writes to it.
	 */
	int lock;
	const char *shim;                /* Weak; NULL: see kt_daemon_start() */
	struct kt_kernel_options kernel; /* used if the session has kernel events */
	bool alone; /* there is no command: the recording ends if the daemon dies */
};

/* The state after the session has started. */
struct kt_supervisor_start {
	bool apart; /* the daemon is private: the run folder is its LTTNG_HOME */
	struct kt_kernel_limits limits;
};

/* The result of the recording. */
struct kt_supervisor_end {
	uint64_t lost;               /* events that LTTng discarded */
	uint64_t refused;            /* processes that did not have this recording's key */
	uint64_t late;               /* processes that LTTng recorded late, or never */
	enum kt_daemon_state daemon; /* unless KT_DAEMON_RUNS, the trace ends early */
	bool supervisor_died;        /* the trace ends early, and all other members
				      * are unknown */
	struct kt_kernel_counts kernel; /* counters of the kernel modules */
	char left[KT_KERNEL_LEFT];      /* changes to the kernel that could not be
					 * undone; "": none */
};

/*
 * Forks the supervisor and waits until the session runs. On failure, returns an error with
 * a message, and no supervisor is left.
 */
int kt_supervisor_start(struct kt_supervisor *supervisor,
			const struct kt_supervisor_options *options,
			struct kt_supervisor_start *start);

/*
 * Returns a descriptor for a recording without a command. It becomes readable when the
 * supervisor has ended the recording because a daemon died.
 */
static inline int kt_supervisor_descriptor(const struct kt_supervisor *supervisor)
{
	return supervisor->socket;
}

/*
 * Ends the session and the daemon, removes the run folder and waits for the supervisor's
 * end. KT_E_IO with a message if the session could not be stopped. Does nothing if there is
 * no supervisor.
 */
int kt_supervisor_finish(struct kt_supervisor *supervisor, struct kt_supervisor_end *end);

#endif
