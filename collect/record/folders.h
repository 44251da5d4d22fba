/* SPDX-License-Identifier: MIT */
/*
 * The folder of the trace that a recording writes. Without --force, the folder must be
 * empty before the recording. A folder that the recording created is removed again if
 * nothing was recorded.
 *
 * Only the user who records may read the trace, because it contains data that programs sent
 * to the GPU. LTTng, however, lets the user's group access its folders (0770) and files
 * (0660), whatever the umask is.
 */
#ifndef KTAIL_COLLECT_FOLDERS_H
#define KTAIL_COLLECT_FOLDERS_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "collect/admission.h"
#include "collect/preload/process/counters.h"

/* Default name of the folder of a trace. If it exists, ".1", ".2", ... is appended. */
#define KT_TRACE_FOLDER_DEFAULT "ktail.trace"

struct kt_trace_folder {
	char path[PATH_MAX];     /* as given by the user, or the default */
	char absolute[PATH_MAX]; /* real path of the folder */
	bool created;            /* the folder did not exist before */
	bool claimed;            /* this recording may change the contents of the folder */
	bool replaces;           /* the old trace, which --force replaces, still exists */
	int lock; /* Owned by this until the program ends: excludes other recordings */
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
 * KT_E_IO if the file system of the trace is full: the last events are then missing, which
 * LTTng does not report.
 */
int kt_trace_folder_check_space(const char *absolute);

/*
 * Removes the access to the contents of the folder that LTTng granted to the group and
 * others. Call it when the recording is complete. KT_E_IO if a mode cannot be changed.
 */
int kt_trace_folder_close(const char *absolute);

/*
 * Removes the old trace, which --force replaces. Call it when the new recording has begun.
 */
void kt_trace_folder_replace(struct kt_trace_folder *folder);

/*
 * Removes the new trace. Then restores the old trace if it still exists, or else removes
 * the folder if kt_trace_folder_prepare() created it. Call it only if folder->claimed is
 * true.
 */
void kt_trace_folder_discard(struct kt_trace_folder *folder);

/*
 * The private resources of one recording: a folder for the sockets of its session daemon
 * and supervisor, the key that joining processes send, and the memory of their counters.
 * Only the recording user and the users of --also-user can enter the folder. Nothing else
 * protects the sockets in it: their paths are not secret, because /proc/net/unix lists
 * them.
 *
 * The folder is created in the first folder of this list that is private to the user:
 * $TMPDIR, $XDG_RUNTIME_DIR, /run/ktail (root only), /tmp/ktail-UID. The last two are
 * created if they do not exist, and are not removed.
 */
#define KT_RUN_FOLDER_SIZE 76 /* so that paths of sockets in it fit in 108 bytes */

struct kt_run_folder {
	char path[KT_RUN_FOLDER_SIZE]; /* "": does not exist */
	char socket[KT_RUN_FOLDER_SIZE + 16];
	char key[KT_KEY_SIZE + 1];
	int counters; /* Owned by this: a memfd whose size is sealed */
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

/* Removes the folder and its contents. Does nothing if the folder does not exist. */
void kt_run_folder_remove(const struct kt_run_folder *folder);

#endif
