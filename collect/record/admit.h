/* SPDX-License-Identifier: MIT */
/* Admission of processes by the supervisor (protocol: collect/admission.h). */
#ifndef KTAIL_COLLECT_ADMIT_H
#define KTAIL_COLLECT_ADMIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct kt_admit_options {
	const char *socket; /* Weak: path */
	const char *key;    /* Weak: KT_KEY_SIZE digits */
	int counters;       /* Weak: the descriptor that admitted processes receive */

	/*
	 * Makes LTTng record the process, or stop recording it if `on` is false. Returns
	 * false if LTTng failed.
	 */
	bool (*track)(void *context, pid_t pid, bool on);
	void *context; /* Weak */
};

#define KT_ADMIT_SILENT 256 /* limit of connections that have not sent a request */

struct kt_admit {
	struct kt_admit_options options;
	int listener; /* Owned by this; -1: closed */
	int events;   /* Owned by this: epoll, readable when kt_admit_serve() has work */
	uint64_t refused; /* connections without the key */
	uint64_t late;    /* processes recorded late or not at all */
	bool stuck;       /* LTTng did not answer; only kt_admit_retry() calls LTTng */
	int silent[KT_ADMIT_SILENT]; /* Owned by this: have sent no request; 0: free slot */
	size_t n_silent; /* connections so far; modulo KT_ADMIT_SILENT: the next slot */
	struct kt_admitted *processes; /* Owned by this: processes that have not exited */
	size_t n_processes;
	size_t capacity;
};

#define KT_ADMIT_CLOSED                                                                    \
	{                                                                                  \
		.listener = -1, .events = -1                                               \
	}

/*
 * Starts to listen at options->socket. On failure, returns KT_E_IO with a message, and
 * nothing needs closing.
 */
int kt_admit_open(struct kt_admit *admit, const struct kt_admit_options *options);

/*
 * Serves pending requests, and untracks processes that have exited, because their pids may
 * be reused. Blocks only in LTTng. O(processes) for each request.
 */
void kt_admit_serve(struct kt_admit *admit);

/*
 * Makes LTTng record the processes for which it did not answer before. Call it about once a
 * second while `stuck` is set.
 */
void kt_admit_retry(struct kt_admit *admit);

/*
 * Closes the socket, so that later connections fail. Does nothing if it is closed already.
 */
void kt_admit_close(struct kt_admit *admit);

#endif
