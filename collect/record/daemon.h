/* SPDX-License-Identifier: MIT */
/*
 * The LTTng session daemon of a recording: an existing one, which is left unchanged, or a
 * private one, which sees only the recorded programs.
 */
#ifndef KTAIL_COLLECT_DAEMON_H
#define KTAIL_COLLECT_DAEMON_H

#include <stdbool.h>
#include <sys/types.h>

struct kt_daemon {
	pid_t pid;        /* the daemon that this recording started; 0: none */
	pid_t found;      /* a daemon that was running before; 0: none, or unknown */
	pid_t consumer;   /* consumer of the daemon `pid`; 0: none, or unknown */
	bool apart;       /* its sockets are in `home`, the LTTNG_HOME of the recorded
			   * processes */
	const char *home; /* Weak */
};

/* Makes libktail-sessiond.so treat its daemon as the system-wide one. */
#define KT_MACHINE_VARIABLE "KTAIL_SESSIOND_OF_MACHINE"

enum kt_daemon_kind {
	KT_DAEMON_USER,   /* user-space events only */
	KT_DAEMON_KERNEL, /* kernel events as well: the system-wide daemon, which only
			   * root can start */
};

/*
 * Finds a running daemon, or starts one whose files are in the folder `home`, with `shim`
 * (libktail-sessiond.so) preloaded. For kernel events, and for root if the shim is NULL or
 * does not work, the system-wide daemon is started instead. A started daemon is a child of
 * the caller and ends with it. KT_E_IO with a message if no daemon is available.
 */
int kt_daemon_start(struct kt_daemon *daemon, enum kt_daemon_kind kind, const char *home,
		    const char *shim);

/* Finds the consumer of our daemon, which starts it for the first LTTng channel. */
void kt_daemon_find_consumer(struct kt_daemon *daemon);

/* Limits the time for each later answer of the daemon; 0: unlimited. */
void kt_daemon_limit_answer(int seconds);

/* Continues our daemon and its consumer if they were stopped (SIGCONT). */
void kt_daemon_wake(const struct kt_daemon *daemon);

enum kt_daemon_state { KT_DAEMON_RUNS, KT_DAEMON_DIED, KT_DAEMON_CONSUMER_DIED };

/* Returns the daemon's state. A daemon that is not ours counts as running if it answers. */
enum kt_daemon_state kt_daemon_poll(const struct kt_daemon *daemon);

/*
 * Ends our daemon by SIGTERM; its consumer then ends by itself. Processes of theirs that
 * remain after a timeout are killed. With `written`, all data are in files already, and all
 * are killed at once, because LTTng takes half a second to destroy a session. The caller
 * must be a subreaper, so that orphans of the daemon become its children.
 */
void kt_daemon_end(struct kt_daemon *daemon, bool written);

/*
 * Sends the signal (0: none) to all descendants of a process, but not to the process
 * itself. Returns the number of descendants.
 */
int kt_process_signal_descendants(pid_t ancestor, int number);

#endif
