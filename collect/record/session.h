/* SPDX-License-Identifier: MIT */
/*
 * One LTTng recording session. Records the events gpu_stack:* of programs, the events
 * gpu_stack_* of the kernel, or both.
 */
#ifndef KTAIL_COLLECT_SESSION_H
#define KTAIL_COLLECT_SESSION_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct kt_session;

struct kt_session_options {
	const char *output;          /* Weak: folder of the trace, absolute */
	uint64_t subbuf_size;        /* bytes, a power of two */
	uint64_t num_subbuf;         /* sub-buffers for each CPU, a power of two */
	int64_t blocking_timeout_us; /* how long a full buffer may block one event of a
				      * program; -1: without limit */
	bool user;                   /* record user-space events */
	bool kernel;                 /* record kernel events */
};

/* Creates the session and starts it. The caller owns *out, which is NULL on failure. */
int kt_session_start(struct kt_session **out, const struct kt_session_options *options);

/*
 * Records the process from now on or, if `on` is false, stops recording it. The process
 * need not have registered with LTTng yet. A session records user-space events only of
 * processes that were given to this function, even if other processes use the same daemon.
 * Returns false if LTTng failed or did not answer for some seconds.
 */
bool kt_session_track(struct kt_session *session, pid_t pid, bool on);

/*
 * Stops the session, waits until all data are written, and sets *lost to the number of
 * events that LTTng discarded.
 */
int kt_session_stop(struct kt_session *session, uint64_t *lost);

/*
 * Destroys the session in LTTng. Unnecessary after kt_session_stop() if the daemon is
 * ended, too.
 */
void kt_session_destroy(struct kt_session *session);

/* Frees the memory, without changing the session in LTTng. NULL is allowed. */
void kt_session_free(struct kt_session *session);

/*
 * /dev/shm, which holds LTTng's buffers of user-space events. If it is too small, programs
 * get SIGBUS.
 */
struct kt_shm_space {
	uint64_t cpus; /* CPUs for which LTTng creates buffers */
	uint64_t size; /* size of /dev/shm, bytes */
	uint64_t free; /* free space in /dev/shm, bytes */
};

/* Reads the values of this machine. KT_E_IO with a message. */
int kt_shm_space_read(struct kt_shm_space *out);

/* Returns the size of the buffers that LTTng creates for one user, in bytes. */
uint64_t kt_shm_space_need(const struct kt_shm_space *space, uint64_t subbuf_size,
			   uint64_t num_subbuf);

/*
 * KT_OK if the buffers fit. Otherwise KT_E_IO with a message that states the required and
 * the free size, suitable options, and how to enlarge /dev/shm.
 */
int kt_shm_space_check(const struct kt_shm_space *space, uint64_t subbuf_size,
		       uint64_t num_subbuf);

#endif
