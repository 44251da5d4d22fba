/* SPDX-License-Identifier: MIT */
/* The folder that a recording goes to: empty before it, gone again if there was none. */
#ifndef KTAIL_COLLECT_TRACE_FOLDER_H
#define KTAIL_COLLECT_TRACE_FOLDER_H

#include <limits.h>
#include <stdbool.h>

/*
 * Makes the folder if it is not there; KT_E_USAGE if it holds anything. absolute[] gets its
 * real path, *made whether it was made.
 */
int kt_trace_folder_prepare(const char *path, char absolute[static PATH_MAX], bool *made);

/* After a recording: KT_E_IO if there was no room for all of it. LTTng does not say so. */
int kt_trace_folder_check_room(const char *absolute);

/* Removes all that is in the folder, and the folder if `made`. Only after a prepare! */
void kt_trace_folder_discard(const char *absolute, bool made);

#endif
