/* SPDX-License-Identifier: MIT */
/*
 * The LTTng session daemon that a recording needs: one that is there already, which is left
 * as it was found, or one of its own, which sees nobody else's programs.
 */
#ifndef KTAIL_COLLECT_DAEMON_H
#define KTAIL_COLLECT_DAEMON_H

#include <stdbool.h>
#include <sys/types.h>

struct kt_daemon {
	pid_t pid;      /* 0: it was there before us */
	pid_t found;    /* the one that was, then; 0: not known */
	pid_t consumer; /* its consumer daemon; 0: not ours, or unknown */
	bool apart; /* its sockets lie in `home`, which is LTTNG_HOME of what it records */
	const char *home; /* Weak */
};

/* Tells libktail-sessiond.so that its daemon is the one of the whole machine. */
#define KT_MACHINE_VARIABLE "KTAIL_SESSIOND_OF_MACHINE"

enum kt_daemon_kind {
	KT_DAEMON_USER,   /* for programs alone */
	KT_DAEMON_KERNEL, /* for the kernel too: that of the whole machine, of which only
			   * root has one */
};

/*
 * Finds a daemon or starts one whose files lie in the folder `home`, with `shim`
 * (libktail-sessiond.so) preloaded. As root this takes the shim; without it, or where that
 * does not work, root's daemon is the one of the whole machine. A child of the caller,
 * which ends with it. KT_E_IO with a message if there is none.
 */
int kt_daemon_start(struct kt_daemon *daemon, enum kt_daemon_kind kind, const char *home,
		    const char *shim);

/* Once there is a channel: the consumer that was started for it. */
void kt_daemon_find_consumer(struct kt_daemon *daemon);

/* How long the daemon may take for an answer, from the next question on; 0: for ever. */
void kt_daemon_limit_answer(int seconds);

/* Lets a daemon of ours, and its consumer, go on where somebody has stopped them. */
void kt_daemon_wake(const struct kt_daemon *daemon);

enum kt_daemon_state { KT_DAEMON_RUNS, KT_DAEMON_DIED, KT_DAEMON_CONSUMER_DIED };

/* What has become of it. One that is not ours: whether it answers. */
enum kt_daemon_state kt_daemon_poll(const struct kt_daemon *daemon);

/*
 * Ends a daemon of ours and all that it has started: by SIGTERM, and those that do not go
 * by SIGKILL. written: all data are in files, so there is nothing to wait for (LTTng takes
 * half a second to forget a session). The caller must be a subreaper, so that orphans of
 * the daemon are its children.
 */
void kt_daemon_end(struct kt_daemon *daemon, bool written);

/* Sends the signal to all descendants, not to the process itself. How many there are. */
int kt_process_signal_descendants(pid_t ancestor, int number);

#endif
