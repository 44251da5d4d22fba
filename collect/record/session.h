/* SPDX-License-Identifier: MIT */
/* One LTTng recording session of the events gpu_stack:*, or of the kernel's gpu_stack_*. */
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
	int64_t blocking_timeout_us; /* how long a full buffer holds one event of a program;
				      * -1: for ever */
	bool user;                   /* events of programs */
	bool kernel;                 /* events of the kernel */
};

/* Makes the session and starts it. The caller owns *out. */
int kt_session_start(struct kt_session **out, const struct kt_session_options *options);

/*
 * A session records no process that it was not told of, even if others use its daemon: has
 * it record the one of this number from now on, before or after it registers with LTTng, or
 * forget the number. false: LTTng has failed, or has not answered for some seconds.
 */
bool kt_session_track(struct kt_session *session, pid_t pid, bool on);

/* Stops the session and waits until all data are written; *lost: events LTTng discarded. */
int kt_session_stop(struct kt_session *session, uint64_t *lost);

/* Makes LTTng forget the session. After a stop the daemon's end will do as well. */
void kt_session_destroy(struct kt_session *session);

/* Frees the memory alone. NULL is allowed. */
void kt_session_free(struct kt_session *session);

/* /dev/shm, which LTTng's buffers must fit into: too small a one is SIGBUS in a program. */
struct kt_shm_space {
	uint64_t cpus; /* for which LTTng makes buffers */
	uint64_t size; /* of /dev/shm, bytes */
	uint64_t free; /* of it */
};

/* Looks at this machine. KT_E_IO with a message. */
int kt_shm_space_read(struct kt_shm_space *out);

/* Bytes that the buffers of one user take. */
uint64_t kt_shm_space_need(const struct kt_shm_space *space, uint64_t subbuf_size,
			   uint64_t num_subbuf);

/*
 * KT_OK if they fit. Else KT_E_IO, and the message says what is needed, what is free, which
 * options would do and how /dev/shm is made larger.
 */
int kt_shm_space_check(const struct kt_shm_space *space, uint64_t subbuf_size,
		       uint64_t num_subbuf);

#endif
