/* SPDX-License-Identifier: MIT */
/*
 * The folder of a recording's trace. Without --force it must be empty before the recording.
 * If the recording created the folder but nothing was recorded, it is removed again.
 *
 * Only the trace's user may read it, because it contains data that programs sent to the
 * GPU. LTTng, however, lets the user's group access its folders (0770) and files (0660),
 * whatever the umask is.
 */
#ifndef KTAIL_COLLECT_FOLDERS_H
#define KTAIL_COLLECT_FOLDERS_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "collect/admission.h"
#include "collect/preload/process/counters.h"

/* Default name of a trace's folder; ".1", ".2", ... are appended if it exists. */
#define KT_TRACE_FOLDER_DEFAULT "ktail.trace"

struct kt_trace_folder {
	char path[PATH_MAX];     /* as given by the user, or the default */
	char absolute[PATH_MAX]; /* its real path */
	bool created;            /* the folder did not exist before */
	bool claimed;            /* this recording may change and remove its contents */
	bool replaces;           /* the trace that --force replaces is still in it */
	int lock; /* Owned by this until the program ends: keeps other recordings out */
};

/*
 * Creates the folder with mode 0700; an existing folder keeps its mode. If `path` is NULL,
 * uses the first default name that does not exist or, with `force`, the first default name.
 * With `force`, a trace in the folder is kept in a subfolder until
 * kt_trace_folder_replace(); the trace must belong to the caller.
 *
 * KT_E_USAGE if another recording uses the folder, or it is not empty (with `force`:
 * contains anything but a trace). KT_E_IO if another user may have planted the folder or a
 * link to it (base/output-target.h). *folder must be zeroed.
 */
int kt_trace_folder_prepare(struct kt_trace_folder *folder, const char *path, bool force);

/*
 * KT_E_IO if the file system is full, so that the last events are missing. LTTng does not
 * report this.
 */
int kt_trace_folder_check_space(const char *absolute);

/*
 * Call when the recording is complete: removes the access to the folder's contents that
 * LTTng granted to the group and others. KT_E_IO if a mode cannot be changed.
 */
int kt_trace_folder_close(const char *absolute);

/* Removes the old trace that --force replaces. Call it when the new recording has begun. */
void kt_trace_folder_replace(struct kt_trace_folder *folder);

/*
 * Call only if the folder is `claimed`: removes the new trace. Then restores the old trace
 * if it is still kept, or else removes the folder if kt_trace_folder_prepare() created it.
 */
void kt_trace_folder_discard(struct kt_trace_folder *folder);

/*
 * The private resources of one recording: a folder for the sockets of its session daemon
 * and supervisor, the key that joining processes send, and the memory of their counters.
 * Only the recording user and the users of --also-user can enter the folder. Its sockets
 * have no other protection, because their paths are listed in /proc/net/unix.
 *
 * The folder is created in $TMPDIR, $XDG_RUNTIME_DIR, /run/ktail (root only) or
 * /tmp/ktail-UID: the first that is private to the user. The last two are created if they
 * do not exist, and are not removed.
 */
#define KT_RUN_FOLDER_SIZE 76 /* keeps paths of sockets in it below 108 bytes */

struct kt_run_folder {
	char path[KT_RUN_FOLDER_SIZE]; /* "": does not exist */
	char socket[KT_RUN_FOLDER_SIZE + 16];
	char key[KT_KEY_SIZE + 1];
	int counters; /* Owned by this: a memory file whose size is sealed */
};

#define KT_RUN_FOLDER_NONE                                                                 \
	{                                                                                  \
		.counters = -1                                                             \
	}

/*
 * Creates the folder with mode 0700, grants access to the given users and maps *counters.
 * On failure, returns an error with a message and leaves nothing.
 */
int kt_run_folder_make(struct kt_run_folder *folder, const uid_t *users, size_t n_users,
		       struct kt_counters **counters);

/* Removes the folder and its contents. Does nothing if it does not exist. */
void kt_run_folder_remove(const struct kt_run_folder *folder);

#endif
