/* SPDX-License-Identifier: MIT */
/*
 * Coverage of the API: whether the recorder observed the calls of an entry point
 * (wrapped), the program got its address past the recorder (past), or neither (unseen).
 * The source is the event api_coverage of ktail-events(7); the visitor of
 * kt_activity_read() sums over processes and traces.
 */
#ifndef KTAIL_ANNOTATE_COVERAGE_H
#define KTAIL_ANNOTATE_COVERAGE_H

#include "annotate/events/activity.h"
#include "base/table.h"
#include "base/texts.h"

/* An entry point in one state, which programs got in one way. */
struct kt_coverage_row {
	const char *api;   /* Weak: in `texts`, as are the next three */
	const char *name;  /* "" for `unseen`, which counts several entry points */
	const char *state; /* "wrapped", "past", "unseen" */
	const char *how;
	/*
	 * Number of observed calls. In a row `unseen` it is the number of entry points
	 * instead, the largest that a process reported.
	 */
	uint64_t calls;
	uint64_t processes;
};

/* All zero: empty. Free with kt_coverage_free(). */
struct kt_coverage {
	struct kt_texts texts;
	struct kt_coverage_row *rows; /* Owned by this; by api, state, name, how */
	size_t n;
	size_t capacity;
};

/* Columns of the table. */
enum kt_coverage_column {
	KT_COVERAGE_API,
	KT_COVERAGE_NAME,
	KT_COVERAGE_STATE,
	KT_COVERAGE_HOW,
	KT_COVERAGE_CALLS,
	KT_COVERAGE_PROCESSES,
};

/* Context: struct kt_coverage. */
extern const struct kt_activity_visitor kt_coverage_visitor;

/*
 * Makes a table of the rows. Texts belong to the coverage; the caller frees the table.
 * KT_E_MEMORY.
 */
int kt_coverage_table(const struct kt_coverage *coverage, struct kt_table *table);

void kt_coverage_free(struct kt_coverage *coverage);

#endif
