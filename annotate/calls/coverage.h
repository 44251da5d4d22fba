/* SPDX-License-Identifier: MIT */
/*
 * Which entry points of the API the recorder saw the calls of, from ktail-events(7)'s
 * api_coverage: a visitor of kt_activity_read(). Processes and traces are put together.
 */
#ifndef KTAIL_ANNOTATE_COVERAGE_H
#define KTAIL_ANNOTATE_COVERAGE_H

#include "annotate/events/activity.h"
#include "base/table.h"
#include "base/texts.h"

/* One entry point in one state, however it was got. */
struct kt_coverage_row {
	const char *api;   /* Weak: of the texts, as are the next three */
	const char *name;  /* "" of `unseen`, which stands for many */
	const char *state; /* "wrapped", "past", "unseen" */
	const char *how;
	uint64_t calls; /* seen; of `unseen`: entry points, the most of any process */
	uint64_t processes;
};

/* All zero: none. */
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

/* Its context is a struct kt_coverage. */
extern const struct kt_activity_visitor kt_coverage_visitor;

/* What they are; the caller frees the table, texts are the coverage's. KT_E_MEMORY. */
int kt_coverage_table(const struct kt_coverage *coverage, struct kt_table *table);

void kt_coverage_free(struct kt_coverage *coverage);

#endif
