/* SPDX-License-Identifier: MIT */
/*
 * The LTTng session daemon of a recording. It is a daemon that was already running, which
 * the recording leaves unchanged; a private daemon, which sees only the recorded programs;
 * or the system-wide daemon.
 */
#ifndef KTAIL_COLLECT_DAEMON_H
#define KTAIL_COLLECT_DAEMON_H

#include <stdbool.h>
#include <sys/types.h>

struct kt_daemon {
	pid_t pid;        /* the daemon that this recording started; 0: none */
	pid_t found;      /* a daemon that was running before; 0: none, or unknown */
	pid_t consumer;   /* consumer of the daemon `pid`; 0: none, or unknown */
	bool apart;       /* the daemon is private: its sockets are in `home`, which is
			   * also the LTTNG_HOME of the recorded processes */
	const char *home; /* Weak */
};

/*
 * Environment variable that tells libktail-sessiond.so that it is preloaded into the
 * system-wide daemon.
 */
#define KT_MACHINE_VARIABLE "KTAIL_SESSIOND_OF_MACHINE"

enum kt_daemon_kind {
	KT_DAEMON_USER,   /* user-space events only */
	KT_DAEMON_KERNEL, /* kernel events, alone or with user-space events: the
			   * system-wide daemon, which only root can start */
};

/*
 * Finds a running daemon, or starts one whose files are in the folder `home`, with `shim`
 * (libktail-sessiond.so) preloaded. For kernel events, and for root if the shim is NULL or
 * does not work, the system-wide daemon is started instead. A started daemon is a child of
 * the caller and ends when the caller ends. KT_E_IO with a message if no daemon is
 * available.
 */
int kt_daemon_start(struct kt_daemon *daemon, enum kt_daemon_kind kind, const char *home,
		    const char *shim);

/*
 * Sets daemon->consumer. Call it after an LTTng channel was created, because only then does
 * our daemon start its consumer daemon.
 */
void kt_daemon_find_consumer(struct kt_daemon *daemon);

/* Limits how long this process waits for each later answer of the daemon; 0: unlimited. */
void kt_daemon_limit_answer(int seconds);

/* Sends SIGCONT to our daemon and its consumer, in case they were stopped. */
void kt_daemon_wake(const struct kt_daemon *daemon);

enum kt_daemon_state { KT_DAEMON_RUNS, KT_DAEMON_DIED, KT_DAEMON_CONSUMER_DIED };

/* Returns the daemon's state. A daemon that is not ours counts as running if it answers. */
enum kt_daemon_state kt_daemon_poll(const struct kt_daemon *daemon);

/*
 * Ends our daemon by SIGTERM; its consumer then ends by itself. Descendants of the daemon
 * that remain after a timeout are killed. If `written`, all data are already in files, and
 * the daemon and its descendants are killed at once, because LTTng takes half a second to
 * destroy a session. The caller must be a subreaper, so that orphans of the daemon become
 * children of the caller.
 */
void kt_daemon_end(struct kt_daemon *daemon, bool written);

/*
 * Sends the signal (0: none) to all descendants of `ancestor`, but not to `ancestor`
 * itself. Returns the number of descendants.
 */
int kt_process_signal_descendants(pid_t ancestor, int number);

#endif
