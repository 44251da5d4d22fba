/* SPDX-License-Identifier: MIT */
/*
 * Processes, threads and channels with numbers that are unique in all traces, as viewers
 * require: the pid or tid if it occurs once, else a number that Linux never uses.
 */
#ifndef KTAIL_ANNOTATE_TRACKS_H
#define KTAIL_ANNOTATE_TRACKS_H

#include <stddef.h>
#include <stdint.h>

#include "annotate/timeline/timeline.h"

/* Larger than all pids and tids: PID_MAX_LIMIT of Linux (include/linux/threads.h). */
#define KT_TRACKS_FREE 4194305

struct kt_track_process {
	size_t trace;
	uint64_t instance; /* ordinal of the process instance */
	uint32_t pid;      /* 0: unknown */
	uint32_t number;
	const char *program; /* Weak: in the timeline's names */
	char *name;          /* Owned by this: for a viewer */
};

struct kt_track {
	uint32_t process; /* index in `processes` */
	uint32_t number;
	char *name; /* Owned by this */
};

/* Empty if all members are zero. Free with kt_tracks_free(). */
struct kt_tracks {
	struct kt_track_process *processes; /* Owned by this */
	size_t n_processes;
	size_t capacity;
	struct kt_track *threads; /* Owned by this: parallel to the events' threads */
	size_t n_threads;
	struct kt_track *channels; /* Owned by this: parallel to the events' channels */
	size_t n_channels;
};

/* KT_E_MEMORY. O(threads squared + channels * processes). */
int kt_tracks_make(struct kt_tracks *out, const struct kt_timeline *timeline);

void kt_tracks_free(struct kt_tracks *tracks);

#endif
