/* SPDX-License-Identifier: MIT */
/* One LTTng recording session of the events gpu_stack:*, and the daemon that it needs. */
#ifndef KTAIL_COLLECT_SESSION_H
#define KTAIL_COLLECT_SESSION_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct kt_session;

struct kt_session_options {
	const char *output;          /* Weak: folder of the trace, absolute */
	uint64_t subbuf_size;        /* bytes, a power of two */
	uint64_t num_subbuf;         /* for each CPU, a power of two */
	int64_t blocking_timeout_us; /* how long a full buffer holds one event; -1: for ever
				      */
};

/*
 * Whether another ktail record of this user is at work: LTTng gives the events of all
 * processes of a user to all sessions that want them, so each trace will hold both.
 */
bool kt_session_has_company(void);

/*
 * Makes the session and starts it. Starts lttng-sessiond if none is there; that one is
 * ended with the session. The caller owns *out.
 */
int kt_session_start(struct kt_session **out, const struct kt_session_options *options);

/* Stops the session and waits until all data are written; *lost: events LTTng discarded. */
int kt_session_stop(struct kt_session *session, uint64_t *lost);

/*
 * Destroys the session, ends the daemon if it is ours and serves nobody else; false: it was
 * left to other sessions. NULL is allowed.
 */
bool kt_session_free(struct kt_session *session);

#endif
