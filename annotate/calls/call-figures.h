/* SPDX-License-Identifier: MIT */
/*
 * What the calls of each function of the API did, counted: a visitor of
 * kt_activity_read(). Of several traces one after the other the sums.
 *
 * Each event counts for one row: that of the innermost call that was open on its thread, or
 * of the outermost, or, if none was, the row without a name.
 *
 *  calls, errors   a result other than 0, and than "not ready", which is a query's answer
 *  unreturned      of these, whose api_exit is missing: they have no result and no time
 *  time            between entry and return, as the recorder measured it
 *  self            without the calls inside it that returned
 *  bytes           of commands, as captured
 *  inline          data in the stream of commands, without what launches write for
 *                  themselves
 *  direct, staged  by the copy engine. Staged: inside a copy to or from the host whose
 *                  arguments are known, and not where its host address lies: then the
 *                  driver copies through memory of its own
 *  fills           by the copy engine, which reads nothing
 *  launch_writes   inline writes of a launch's own: its descriptor and arguments
 *  releases        of semaphores, on their own or at the end of copies and launches
 *  waits           of a thread for a device file, in a system call
 */
#ifndef KTAIL_ANNOTATE_CALL_FIGURES_H
#define KTAIL_ANNOTATE_CALL_FIGURES_H

#include <stdbool.h>

#include "annotate/events/activity.h"
#include "annotate/calls/figures.h"

/* A call that goes on. */
struct kt_open_call {
	uint64_t id;
	uint64_t inside; /* ns of calls in it that returned */
};

struct kt_call_figures {
	bool outer; /* by the outermost call */
	struct kt_figure_rows rows;
	struct kt_open_call *open; /* Owned by this */
	size_t n_open;
	size_t capacity;
};

/* Its context is a struct kt_call_figures, all zero before, but for `outer`. */
extern const struct kt_activity_visitor kt_call_figures_visitor;

void kt_call_figures_free(struct kt_call_figures *figures);

/*
 * Makes a table of them: function, interface, figures, median and 99th percentile of times
 * (kt_figure_row_quantile()); the longest time first, what was outside of calls after
 * them, then the sum, in which the time is that of all `self`. Texts are the rows'. The
 * caller frees the table. KT_E_MEMORY with a message.
 */
int kt_call_figures_table(struct kt_call_figures *figures, struct kt_table *table);

#endif
