/* SPDX-License-Identifier: MIT */
/* What happened in traces, event by event, as lines to be printed. */
#ifndef KTAIL_ANNOTATE_REPLAY_H
#define KTAIL_ANNOTATE_REPLAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "annotate/replay/lines.h"
#include "annotate/replay/replay-options.h"
#include "annotate/timeline/timeline.h"
#include "infer/files/inputs.h"

enum kt_step_kind {
	KT_STEP_EVENT,   /* `index`: an event of the timeline without events inside */
	KT_STEP_ENTER,   /* `index`: the event of a call, which begins */
	KT_STEP_EXIT,    /* `index`: the event of a call, which ends */
	KT_STEP_REQUEST, /* `index`: a request of the timeline */
	KT_STEP_GAP,     /* `number` events are missing */
};

/* Something that happened. */
struct kt_step {
	enum kt_step_kind kind;
	uint32_t thread; /* index in the timeline's events; KT_TIMELINE_NONE: unknown */
	size_t index;
	uint64_t number; /* ENTER: number of the call among calls of the same name; GAP: see
			  * above */
	bool returned;   /* EXIT: the end of the call was recorded */
	int64_t time;    /* EXIT, GAP: ns since the first event of all traces */
};

/* The steps of a trace, in the order in which they were recorded; and its lines. */
struct kt_replay_trace {
	struct kt_step *steps; /* Owned by this */
	size_t n;
	size_t capacity;
	uint64_t accesses; /* number of accesses, shown or not */
	struct kt_lines lines;
};

/* Empty if all members are zero. Free with kt_replay_free(). */
struct kt_replay {
	const struct kt_replay_options *options; /* Weak */
	struct kt_inputs inputs;
	struct kt_timeline timeline;
	struct kt_replay_trace *traces; /* Owned by this: one for each input */
	size_t reading;                 /* index of the trace that is being read */
	size_t seen;                    /* events of the timeline that have a step */
};

/*
 * Reads the traces paths[0..n) and makes their lines. KT_E_USAGE, KT_E_IO, KT_E_MALFORMED,
 * KT_E_EMPTY, KT_E_LOSS with --strict, KT_E_MEMORY. The caller frees *out with
 * kt_replay_free(), also on failure.
 */
int kt_replay_make(struct kt_replay *out, const struct kt_replay_options *options,
		   char *const *paths, size_t n);

void kt_replay_free(struct kt_replay *replay);

/*
 * Makes the lines of each trace from its steps: replay-lines.c. KT_E_MEMORY. O(n log n).
 */
int kt_replay_make_lines(struct kt_replay *replay);

/* Writes a struct kt_replay as text: write-replay.c. KT_E_IO. */
int kt_replay_write(FILE *out, const void *replay);

#endif
