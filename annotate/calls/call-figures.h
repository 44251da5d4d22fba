/* SPDX-License-Identifier: MIT */
/*
 * Counts what the calls of each function of the API did: a visitor of kt_activity_read().
 * Several traces read in succession are summed.
 *
 * Each event counts for one row: that of the thread's innermost open call (or outermost, if
 * `outer`), or the row without a name outside calls.
 *
 * - calls, errors: a result other than 0 and "not ready", which is an answer to a query
 * - unreturned: calls without an api_exit, and so without result and time
 * - time: from entry to return, as measured by the recorder
 * - self: time without the calls inside it that returned
 * - bytes: of commands, as captured
 * - inline: data in the commands, without what launches write for themselves
 * - direct, staged: copies by the copy engine. Staged: within a copy to or from the host
 *   with known arguments, but at another host address, that is, through memory of the
 *   driver
 * - fills: by the copy engine, without a source
 * - launch_writes: inline writes that belong to a launch: its descriptor and arguments
 * - releases: of semaphores, separate or at the end of copies and launches
 * - waits: of a thread for a device file, in a system call
 */
#ifndef KTAIL_ANNOTATE_CALL_FIGURES_H
#define KTAIL_ANNOTATE_CALL_FIGURES_H

#include <stdbool.h>

#include "annotate/events/activity.h"
#include "annotate/calls/figures.h"

/* A call that has not returned yet. */
struct kt_open_call {
	uint64_t id;
	uint64_t inside; /* ns in calls within it that returned */
};

struct kt_call_figures {
	bool outer; /* count for the outermost call */
	struct kt_figure_rows rows;
	struct kt_open_call *open; /* Owned by this */
	size_t n_open;
	size_t capacity;
};

/* Context: struct kt_call_figures, all zero except `outer`. */
extern const struct kt_activity_visitor kt_call_figures_visitor;

void kt_call_figures_free(struct kt_call_figures *figures);

/*
 * Makes a table of the rows: function, interface, figures, median and 99th percentile of
 * times (kt_figure_row_quantile()). Rows go by descending time, then the row outside calls,
 * then the sum, whose time is the sum of all `self`. Texts belong to the rows; the caller
 * frees the table. KT_E_MEMORY with a message.
 */
int kt_call_figures_table(struct kt_call_figures *figures, struct kt_table *table);

#endif
