/* SPDX-License-Identifier: MIT */
/* The supervisor's part of collect/admission.h: decides who belongs to the recording. */
#ifndef KTAIL_COLLECT_ADMIT_H
#define KTAIL_COLLECT_ADMIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct kt_admit_options {
	const char *socket; /* Weak: path */
	const char *key;    /* Weak: KT_KEY_SIZE digits */
	int counters;       /* Weak: the descriptor that is handed out */

	/* Has LTTng record the process, or forget its number; false: LTTng has failed. */
	bool (*track)(void *context, pid_t pid, bool on);
	void *context; /* Weak */
};

#define KT_ADMIT_SILENT 256 /* connections that have not sent their request, at most */

struct kt_admit {
	struct kt_admit_options options;
	int listener; /* Owned by this; -1: closed */
	int events;   /* Owned by this: epoll; readable when there is something to serve */
	uint64_t refused; /* connections without the key */
	uint64_t late;    /* processes that LTTng was told of late, or could not be */
	bool stuck; /* LTTng has not answered: it is asked by kt_admit_retry() alone */
	int silent[KT_ADMIT_SILENT];   /* Owned by this; 0: none */
	size_t n_silent;               /* ever: the next goes to the place of the oldest */
	struct kt_admitted *processes; /* Owned by this: those that have not ended */
	size_t n_processes;
	size_t capacity;
};

#define KT_ADMIT_CLOSED                                                                    \
	{                                                                                  \
		.listener = -1, .events = -1                                               \
	}

/* Listens from now on. KT_E_IO with a message; then nothing is to be closed. */
int kt_admit_open(struct kt_admit *admit, const struct kt_admit_options *options);

/*
 * Serves those that wait, and untracks processes that have ended: their numbers may be
 * given to others. Waits for LTTng alone. O(processes) for each.
 */
void kt_admit_serve(struct kt_admit *admit);

/*
 * Tells LTTng of the processes that it could not be told of before. To be called about once
 * a second while `stuck` is set.
 */
void kt_admit_retry(struct kt_admit *admit);

/* Whoever asks from now on finds nobody. Nothing if it is closed already. */
void kt_admit_close(struct kt_admit *admit);

#endif
