/* SPDX-License-Identifier: MIT */
/* A table of what the recorder gave up in traces (infer/words/read/given-up.h). */
#ifndef KTAIL_ANNOTATE_GIVEN_UP_ROWS_H
#define KTAIL_ANNOTATE_GIVEN_UP_ROWS_H

#include <stddef.h>
#include <stdint.h>

#include "base/table.h"
#include "infer/words/read/trace.h"

struct kt_given_up_row {
	char *trace;    /* Owned by this: its path */
	uint64_t until; /* ns since the first event of the trace */
	struct kt_given_up what;
};

/* Empty if all members are zero. Free with kt_given_up_rows_free(). */
struct kt_given_up_rows {
	struct kt_given_up_row *rows; /* Owned by this; in order of traces, then of time */
	size_t n;
	size_t capacity;
	uint64_t more; /* times that the reports do not list (KT_GIVEN_UP_MAX) */
};

/* What the table says, to print before it. */
#define KT_GIVEN_UP_SENTENCE                                                               \
	"The recorder gave up detail to limit its overhead. It is complete until:"

/* Adds what was given up in the trace at `path`. KT_E_MEMORY. */
int kt_given_up_rows_add(struct kt_given_up_rows *rows, const char *path,
			 const struct kt_trace_report *report);

/*
 * Makes a table: what (accesses, commands), mapping (unknown: all of the process), space of
 * the mapping, process, pid, trace, until. Texts belong to the rows; the caller frees the
 * table. KT_E_MEMORY.
 */
int kt_given_up_rows_table(const struct kt_given_up_rows *rows, struct kt_table *table);

void kt_given_up_rows_free(struct kt_given_up_rows *rows);

#endif
