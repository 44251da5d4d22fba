/* SPDX-License-Identifier: MIT */
/*
 * Work submitted by calls of one kind, and their duration: the points of figure 9 of Yan,
 * Karlin, Grant, "Revealing NVIDIA Closed-Source Driver Command Streams" (2026), bytes of
 * commands against time of launch. A visitor of kt_activity_read().
 */
#ifndef KTAIL_ANNOTATE_LAUNCH_COST_H
#define KTAIL_ANNOTATE_LAUNCH_COST_H

#include <stdbool.h>

#include "annotate/events/activity.h"
#include "annotate/stats/line-fit.h"
#include "base/table.h"

/* A call that returned. */
struct kt_cost_point {
	size_t trace; /* index in `traces` */
	char *name;   /* Owned by this: name of the function */
	uint32_t pid;
	uint32_t tid;
	uint64_t begin; /* ns since the first event of the trace */
	uint64_t time;  /* ns */
	uint64_t doorbells;
	uint64_t entries;
	uint64_t bytes; /* bytes of commands */
	uint64_t launches;
};

/* A call of the kind that has not returned yet. */
struct kt_cost_call {
	uint64_t id;
	bool has_inner; /* it contains another call of the kind */
	struct kt_cost_point point;
};

struct kt_launch_cost {
	const char *kind; /* Weak: see kt_launch_cost_has_kind() */
	/*
	 * Among nested calls of the kind (cuLaunchKernel within cudaLaunchKernel) the
	 * outermost, not the innermost, becomes the point.
	 */
	bool outer;
	/* Owned by this; the strings belong to the caller of the visitor. */
	const char **traces;
	size_t n_traces;
	size_t traces_capacity;
	struct kt_cost_point *points; /* Owned by this; in order of return */
	size_t n;
	size_t capacity;
	struct kt_cost_call *open; /* Owned by this */
	size_t n_open;
	size_t open_capacity;
};

/* Context: struct kt_launch_cost, all zero except `kind` and `outer`. */
extern const struct kt_activity_visitor kt_launch_cost_visitor;

/*
 * Whether functions of this kind exist: a kind of decode/api-functions.h, or "copy" or
 * "fill" for all kinds with that prefix.
 */
bool kt_launch_cost_has_kind(const char *kind);

/* A line through all calls, and whether a single call determines its slope. */
struct kt_launch_fit {
	struct kt_line line; /* x in bytes, y in ns: see line-fit.h */
	/*
	 * By least squares: one call has more than half of the sum of squared distances
	 * from the mean number of bytes. Its bytes, and the line through the other calls.
	 */
	bool has_lever;
	uint64_t lever_bytes;
	struct kt_line others;
};

/* KT_E_MEMORY with a message. */
int kt_launch_cost_fit(const struct kt_launch_cost *cost, bool robust,
		       struct kt_launch_fit *out);

/*
 * Makes a table of the points. Texts belong to the points; the caller frees the table.
 * KT_E_MEMORY.
 */
int kt_launch_cost_table(const struct kt_launch_cost *cost, struct kt_table *table);

void kt_launch_cost_free(struct kt_launch_cost *cost);

#endif
