/* SPDX-License-Identifier: MIT */
/*
 * What one recording makes for itself lies in a folder under $TMPDIR: the counters, and the
 * sockets of its session daemon. It goes with the recording.
 */
#ifndef KTAIL_COLLECT_RUN_FOLDER_H
#define KTAIL_COLLECT_RUN_FOLDER_H

#include "collect/counters.h"

#define KT_RUN_FOLDER_SIZE 76 /* so that paths of sockets in it stay below 108 bytes */

struct kt_run_folder {
	char path[KT_RUN_FOLDER_SIZE]; /* "": there is none */
	char counters[KT_RUN_FOLDER_SIZE + 16];
};

/* Makes it with a page of counters that processes can share; *counters is mapped. */
int kt_run_folder_make(struct kt_run_folder *folder, struct kt_counters **counters);

/* Removes it with all that is in it. Nothing if there is none, or none any more. */
void kt_run_folder_remove(const struct kt_run_folder *folder);

#endif
