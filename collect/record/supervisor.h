/* SPDX-License-Identifier: MIT */
/*
 * The keeper: a process beside ktail record that owns the session and its daemon. However
 * ktail record ends, SIGKILL included, the keeper sees it, writes out what was recorded,
 * and takes away what the recording has made for itself.
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
	pid_t pid;  /* 0: there is none */
	int socket; /* Owned by this */
};

struct kt_supervisor_options {
	struct kt_session_options session;
	const struct kt_run_folder *folder; /* Weak */
	const char *shim;                   /* Weak; NULL: see kt_daemon_start() */
	struct kt_kernel_options kernel;    /* if the session has its events */
	bool alone; /* there is no command that would go on without a daemon */
};

/* What was found at the start. */
struct kt_supervisor_start {
	bool apart; /* the daemon is the run's own: the folder is its LTTNG_HOME */
	struct kt_kernel_limits limits;
};

/* What became of it. */
struct kt_supervisor_end {
	uint64_t lost;               /* events that LTTng discarded */
	uint64_t refused;            /* processes without the key of this recording */
	uint64_t late;               /* processes that LTTng was told of late, or never */
	enum kt_daemon_state daemon; /* one that died: the trace ends early */
	bool supervisor_died;        /* the same, and nothing is known */
	struct kt_kernel_counts kernel; /* what its modules counted */
	char left[KT_KERNEL_LEFT];      /* of these; "": nothing, or as it was */
};

/* Forks it and waits until the session runs. KT_E_IO with a message, then none is left. */
int kt_supervisor_start(struct kt_supervisor *supervisor,
			const struct kt_supervisor_options *options,
			struct kt_supervisor_start *start);

/*
 * The descriptor that becomes readable when there is nothing left to record: the daemon has
 * died, and there is no command.
 */
static inline int kt_supervisor_descriptor(const struct kt_supervisor *supervisor)
{
	return supervisor->socket;
}

/*
 * Ends session, daemon, folder and keeper, and waits for that. KT_E_IO with a message if
 * the session could not be stopped. Nothing where there is no keeper.
 */
int kt_supervisor_finish(struct kt_supervisor *supervisor, struct kt_supervisor_end *end);

#endif
