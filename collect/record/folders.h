/* SPDX-License-Identifier: MIT */
/*
 * The folder that a recording goes to: empty before it, gone again if there was none. A
 * trace holds what programs gave the GPU and is its user's alone, but LTTng lets the user's
 * group read and write its folders (0770) and files (0660), whatever the umask is.
 */
#ifndef KTAIL_COLLECT_FOLDERS_H
#define KTAIL_COLLECT_FOLDERS_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "collect/admission.h"
#include "collect/preload/process/counters.h"

/* The name of a trace's folder that the user did not name; else with ".1", ".2", ... */
#define KT_TRACE_FOLDER_DEFAULT "ktail.trace"

struct kt_trace_folder {
	char path[PATH_MAX];     /* as the user gave it, or the default */
	char absolute[PATH_MAX]; /* its real path */
	bool created;            /* it was not there before */
	bool claimed;            /* all in it is this recording's, until `lock` is closed */
	int lock; /* Owned by this until the program ends, and by children since */
};

/*
 * Makes the folder, with mode 0700, if it is not there; one that is there keeps its mode.
 * path == NULL: the first of the default names at which there is nothing, or, with `force`,
 * the first of them. A trace in the folder is removed with `force`, if it holds nothing but
 * what recordings write and is the caller's. KT_E_USAGE if it holds anything else or
 * another recording goes there, KT_E_IO if another user may have put it, or a link to it,
 * in the way (base/output-target.h). *folder begins as zeros.
 */
int kt_trace_folder_prepare(struct kt_trace_folder *folder, const char *path, bool force);

/* After a recording: KT_E_IO if there was no room for all of it. LTTng does not say so. */
int kt_trace_folder_check_space(const char *absolute);

/*
 * When nothing writes to it any more: takes from the group and others what LTTng gave them
 * of what is in the folder. KT_E_IO if that fails for something.
 */
int kt_trace_folder_close(const char *absolute);

/* Removes all that is in the folder, and the folder if `made`. Only after a prepare! */
void kt_trace_folder_discard(const char *absolute, bool created);

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
