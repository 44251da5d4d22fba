/* SPDX-License-Identifier: MIT */
/*
 * Counts what the calls of each function of the API did: a visitor of kt_activity_read().
 * Several traces read in succession are summed.
 *
 * Each event counts for one row: that of the thread's innermost open call (the outermost,
 * if `outer` is set) or, outside calls, the row without a name.
 *
 * - errors: calls whose result is neither 0 nor "not ready", which is an answer to a query
 * - unreturned: calls without an api_exit, and so without result and time
 * - time: from entry to return, as measured by the recorder
 * - self: time less that of the calls inside that returned; if `outer` is set, the whole
 *   time
 * - bytes: size of the captured commands
 * - inline: copies of data that the commands hold, except those that belong to launches
 * - direct, staged: copies by the copy engine. A copy is staged if its call copies to or
 *   from the host, the call's arguments are known, and the copy uses another host address
 *   than they name: the data goes through memory of the driver
 * - fills: operations of the copy engine that have no source
 * - launch_writes: inline writes that belong to a launch: its descriptor and arguments
 * - releases: semaphore releases, separate or at the end of copies and launches
 * - waits: system calls in which a thread waited for a device file
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
	bool outer; /* events count for the outermost call */
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
 * times (kt_figure_row_quantile()). Rows are in order of descending time; after them come
 * the row outside calls and the sum, whose time is the sum of all `self`. Texts belong to
 * the rows; the caller frees the table. KT_E_MEMORY with a message.
 */
int kt_call_figures_table(struct kt_call_figures *figures, struct kt_table *table);

#endif
