/* SPDX-License-Identifier: MIT */
/*
 * A visitor of kt_activity_read() that counts what the calls of each function of the API
 * did, or what each call did. Traces that are read in succession are added up.
 *
 * Each event is counted in one row: the row of the thread's innermost open call (if `outer`
 * is set, of the outermost open call) or, outside calls, the row without a name. If `each`
 * is set, each call has a row of its own.
 *
 * - errors: calls whose result is neither 0 nor "not ready" (an answer to a query)
 * - unreturned: calls without an api_exit, and so without result and time
 * - time: from entry to return, as measured by the recorder
 * - self: time minus the time of the calls inside the call, as far as they returned; if
 *   `outer` is set, the same as time
 * - bytes: size of the captured commands
 * - inline: copies of data in the commands, without those that launch_writes counts
 * - direct, staged: copies by the copy engine. A copy is staged if the data goes through
 *   memory of the driver: the call copies to or from the host, and the copy engine uses a
 *   host address that the arguments of the call do not name. If the arguments are unknown,
 *   the copy counts as direct
 * - fills: operations of the copy engine that have no source
 * - empty_grids: QMDs without a program, which the driver adds to launches
 * - launch_writes: inline writes of the descriptor (QMD) and arguments of a launch, or of
 *   an empty grid
 * - releases: semaphore releases, separate or at the end of copies and launches
 * - waits: system calls in which a thread waited for a device file
 *
 * Where the recorder has given up accesses or commands (kt_moment.given_up), figures of
 * them are unknown in the rows that may lack some, and in the sum.
 *
 * The time that the device took for a submission is counted in the row of the submission.
 */
#ifndef KTAIL_ANNOTATE_CALL_FIGURES_H
#define KTAIL_ANNOTATE_CALL_FIGURES_H

#include <stdbool.h>

#include "annotate/events/activity.h"
#include "annotate/calls/figures.h"
#include "infer/words/memory/number-map.h"

/* A call that has not returned yet. */
struct kt_open_call {
	uint64_t id;
	uint64_t inside; /* ns in calls inside this call */
};

/* A call that has a row of its own. */
struct kt_each_call {
	const char *trace; /* Weak: path, in the rows' texts */
	uint64_t id;       /* this and the next four are those of kt_activity_call */
	uint64_t number;
	uint32_t pid;
	uint32_t tid;
	uint64_t begin;
	struct kt_figure_row row; /* its `times` has one element if the call returned */
};

/* Identifies a row by values that stay valid when rows are added. */
struct kt_row_key {
	const char *name; /* Weak: name of the row in kt_call_figures.rows; NULL: no row */
	size_t each;      /* index in kt_call_figures.calls + 1; 0: none */
};

struct kt_call_figures {
	bool outer; /* events count for the outermost call, not the innermost */
	bool each;  /* `calls` has a row for each call; `rows` has only the row for events
		     * outside calls */
	/*
	 * Weak: times of the trace that is being read, settled when the trace ends; NULL:
	 * times of the device are not counted.
	 */
	const struct kt_device_times *times;
	bool timed; /* a submission had a time */
	/*
	 * Owned by this: the row of each submission, by the number of the submission - 1.
	 */
	struct kt_row_key *submitted;
	size_t n_submitted;
	size_t submitted_capacity;
	struct kt_figure_rows rows;
	struct kt_each_call *calls; /* Owned by this: of all traces; those of one trace by
				     * ascending `id` */
	size_t n_calls;
	size_t calls_capacity;
	size_t first;               /* index in `calls` of the first call of the current
				     * trace */
	struct kt_number_map by_id; /* of the current trace: id -> index in `calls` */
	const char *trace;         /* Weak: path of the current trace, in the rows' texts */
	struct kt_open_call *open; /* Owned by this */
	size_t n_open;
	size_t capacity;
};

/* Context: struct kt_call_figures, initially all zero except `outer`, `each` and `times`.
 */
extern const struct kt_activity_visitor kt_call_figures_visitor;

void kt_call_figures_free(struct kt_call_figures *figures);

/* Returns an empty table with the columns of kt_call_figures_table(). */
struct kt_table kt_call_figures_head(const struct kt_call_figures *figures);

/*
 * Makes a table of the rows: function, interface, figures, share of the self time of all
 * calls, mean, median and 99th percentile (kt_figure_row_quantile()), minimum and maximum
 * of times, times of the device. The functions are in order of descending time; then come
 * the row for events outside calls and a row "all" of sums, where time is the sum of
 * `self`. If `each` is set, the first rows are those of the calls of each trace, in the
 * order in which they began. Texts belong to the rows; the caller frees the table.
 * KT_E_MEMORY with a message.
 */
int kt_call_figures_table(struct kt_call_figures *figures, struct kt_table *table);

#endif
