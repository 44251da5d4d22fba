/* SPDX-License-Identifier: MIT */
/*
 * The folder that a recording goes to: empty before it, gone again if there was none. A
 * trace holds what programs gave the GPU and is its user's alone, but LTTng lets the user's
 * group read and write its folders (0770) and files (0660), whatever the umask is.
 */
#ifndef KTAIL_COLLECT_TRACE_FOLDER_H
#define KTAIL_COLLECT_TRACE_FOLDER_H

#include <limits.h>
#include <stdbool.h>

/*
 * Makes the folder, with mode 0700, if it is not there; one that is there keeps its mode.
 * KT_E_USAGE if it holds anything or another recording goes there, KT_E_IO if another user
 * may have put it, or a link to it, in the way (base/output-place.h). absolute[] gets its
 * real path, *made whether it was made, *claimed a descriptor: it is this recording's alone
 * until that is closed, here and in processes that were forked since.
 */
int kt_trace_folder_prepare(const char *path, char absolute[static PATH_MAX], bool *made,
			    int *claimed);

/* After a recording: KT_E_IO if there was no room for all of it. LTTng does not say so. */
int kt_trace_folder_check_room(const char *absolute);

/*
 * When nothing writes to it any more: takes from the group and others what LTTng gave them
 * of what is in the folder. KT_E_IO if that fails for something.
 */
int kt_trace_folder_close(const char *absolute);

/* Removes all that is in the folder, and the folder if `made`. Only after a prepare! */
void kt_trace_folder_discard(const char *absolute, bool made);

#endif
