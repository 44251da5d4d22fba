/* SPDX-License-Identifier: MIT */
/*
 * What one recording makes for itself: a folder for the sockets of its session
 * daemon and of its supervisor, the key that its processes show, and the memory of
 * their counters. The folder is closed to everyone but the user who records, and the users
 * whom he names: sockets have no other protection, since their paths stand in
 * /proc/net/unix.
 *
 * It is made in $TMPDIR or $XDG_RUNTIME_DIR, whichever first is the user's alone, else in
 * /run/ktail (root) or /tmp/ktail-UID, which stay.
 */
#ifndef KTAIL_COLLECT_RUN_FOLDER_H
#define KTAIL_COLLECT_RUN_FOLDER_H

#include <stddef.h>
#include <sys/types.h>

#include "collect/admission.h"
#include "collect/preload/process/counters.h"

#define KT_RUN_FOLDER_SIZE 76 /* so that paths of sockets in it stay below 108 bytes */

struct kt_run_folder {
	char path[KT_RUN_FOLDER_SIZE]; /* "": there is none */
	char socket[KT_RUN_FOLDER_SIZE + 16];
	char key[KT_KEY_SIZE + 1];
	int counters; /* Owned by this: memory, sealed against shrinking */
};

#define KT_RUN_FOLDER_NONE                                                                 \
	{                                                                                  \
		.counters = -1                                                             \
	}

/*
 * Makes it, mode 0700, and lets the users in who are named. *counters is mapped. KT_E_IO
 * with a message; then nothing is left.
 */
int kt_run_folder_make(struct kt_run_folder *folder, const uid_t *users, size_t n_users,
		       struct kt_counters **counters);

/* Removes it with all that is in it. Nothing if there is none, or none any more. */
void kt_run_folder_remove(const struct kt_run_folder *folder);

#endif
