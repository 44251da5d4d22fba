/* SPDX-License-Identifier: MIT */
/* One LTTng recording session of the events gpu_stack:*, and the daemon that it needs. */
#ifndef KTAIL_COLLECT_SESSION_H
#define KTAIL_COLLECT_SESSION_H

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
 * Makes the session and starts it. Starts lttng-sessiond if none is there; that one is
 * ended with the session. The caller owns *out.
 */
int kt_session_start(struct kt_session **out, const struct kt_session_options *options);

/* Stops the session and waits until all data are written; *lost: events LTTng discarded. */
int kt_session_stop(struct kt_session *session, uint64_t *lost);

/* Destroys the session, ends the daemon if it is ours. NULL is allowed. */
void kt_session_free(struct kt_session *session);

#endif
