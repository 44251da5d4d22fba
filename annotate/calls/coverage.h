/* SPDX-License-Identifier: MIT */
/*
 * Coverage of the API. An entry point is `wrapped` if the recorder observed the calls,
 * `past` if the program got the address of the entry point in a way that bypasses the
 * recorder, and `unseen` if the program never looked it up. The source is the event
 * api_coverage of ktail-events(7); a visitor of kt_activity_read() adds up all processes
 * and traces.
 */
#ifndef KTAIL_ANNOTATE_COVERAGE_H
#define KTAIL_ANNOTATE_COVERAGE_H

#include "annotate/events/activity.h"
#include "base/table.h"
#include "base/texts.h"

/* An entry point in one state. `how` says in which way programs got its address. */
struct kt_coverage_row {
	const char *api;   /* Weak, as are name, state, how: in kt_coverage.texts */
	const char *name;  /* "" if the state is "unseen": the row counts several entry
			    * points */
	const char *state; /* "wrapped", "past", "unseen" */
	const char *how;
	/*
	 * Number of observed calls. If the state is "unseen", the number of entry points
	 * instead: the largest number that any process reported.
	 */
	uint64_t calls;
	uint64_t processes;
};

/* Empty if all members are zero. Free with kt_coverage_free(). */
struct kt_coverage {
	struct kt_texts texts;
	struct kt_coverage_row *rows; /* Owned by this; sorted by api, state, name, how */
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
