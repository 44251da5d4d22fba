/* SPDX-License-Identifier: MIT */
/*
 * The work and the duration of each call of one kind, collected by a visitor of
 * kt_activity_read(). They are the points of figure 9 of Yan, Karlin, Grant, "Revealing
 * NVIDIA Closed-Source Driver Command Streams" (2026): bytes of commands against time of a
 * launch.
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
	uint64_t time;  /* duration in ns */
	uint64_t doorbells;
	uint64_t entries; /* ring entries */
	uint64_t bytes;   /* bytes of captured commands */
	uint64_t launches;
};

/* A call of the wanted kind that has not returned yet. */
struct kt_cost_call {
	uint64_t id;
	bool has_inner; /* the call contains another call of the kind */
	struct kt_cost_point point;
};

struct kt_launch_cost {
	const char *kind; /* Weak: see kt_launch_cost_has_kind() */
	/*
	 * true: of nested calls of the kind (cuLaunchKernel in cudaLaunchKernel), the
	 * outermost becomes a point; false: the innermost.
	 */
	bool outer;
	/*
	 * Owned by this; the paths in the array belong to the caller of kt_activity_read().
	 */
	const char **traces;
	size_t n_traces;
	size_t traces_capacity;
	struct kt_cost_point *points; /* Owned by this; in order of return */
	size_t n;
	size_t capacity;
	struct kt_cost_call *open; /* Owned by this */
	size_t n_open;
	size_t open_capacity;
	uint64_t left_out; /* calls without a point: commands had been given up */
};

/* The context is a struct kt_launch_cost, initially all zero except `kind` and `outer`. */
extern const struct kt_activity_visitor kt_launch_cost_visitor;

/*
 * Returns whether `kind` is a name of a kind in decode/api-functions.h. "copy" and "fill" also
 * stand for all kinds that begin with "copy-" or "fill-".
 */
bool kt_launch_cost_has_kind(const char *kind);

/* A line through all calls, and whether a single call determines the slope of this line. */
struct kt_launch_fit {
	struct kt_line line; /* x in bytes, y in ns: see line-fit.h */
	/*
	 * Whether one call accounts for more than half of the sum of squared distances
	 * from the mean number of bytes. Always false for the median of slopes.
	 */
	bool has_lever;
	uint64_t lever_bytes;  /* if has_lever: bytes of that one call */
	struct kt_line others; /* if has_lever: the line through all other calls */
};

/*
 * Fits a line to the points: by the median of slopes if `robust`, else by least squares.
 * KT_E_MEMORY with a message.
 */
int kt_launch_cost_fit(const struct kt_launch_cost *cost, bool robust,
		       struct kt_launch_fit *out);

/*
 * Makes a table of the points. The texts in the table belong to `cost` and to the owner of
 * the paths in cost->traces; the caller frees the table. KT_E_MEMORY.
 */
int kt_launch_cost_table(const struct kt_launch_cost *cost, struct kt_table *table);

void kt_launch_cost_free(struct kt_launch_cost *cost);

#endif
