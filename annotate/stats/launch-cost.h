/* SPDX-License-Identifier: MIT */
/*
 * What calls of one kind submitted, and how long they took: the points of figure 9 of Yan,
 * Karlin, Grant, "Revealing NVIDIA Closed-Source Driver Command Streams" (2026): bytes of
 * commands against time of launch. A visitor of kt_activity_read().
 */
#ifndef KTAIL_ANNOTATE_LAUNCH_COST_H
#define KTAIL_ANNOTATE_LAUNCH_COST_H

#include <stdbool.h>

#include "annotate/events/activity.h"
#include "annotate/stats/line-fit.h"
#include "base/table.h"

/* One call that returned. */
struct kt_cost_point {
	size_t trace; /* its place in `traces` */
	char *name;   /* Owned by this: of the function */
	uint32_t pid;
	uint32_t tid;
	uint64_t begin; /* ns since the first event of the trace */
	uint64_t time;  /* ns */
	uint64_t doorbells;
	uint64_t entries;
	uint64_t bytes; /* of commands */
	uint64_t launches;
};

/* A call of the kind that goes on. */
struct kt_cost_call {
	uint64_t id;
	bool has_inner; /* a call of the kind was made in it */
	struct kt_cost_point point;
};

struct kt_launch_cost {
	const char *kind; /* Weak: see kt_launch_cost_has_kind() */
	/*
	 * Of calls of the kind within such calls (cuLaunchKernel in cudaLaunchKernel) the
	 * outermost are the points, not the innermost.
	 */
	bool outer;
	const char **traces; /* Owned by this; its strings are the visitor's caller's */
	size_t n_traces;
	size_t traces_capacity;
	struct kt_cost_point *points; /* Owned by this; in order of their ends */
	size_t n;
	size_t capacity;
	struct kt_cost_call *open; /* Owned by this */
	size_t n_open;
	size_t open_capacity;
};

/* Its context is a struct kt_launch_cost, all zero before but for `kind` and `outer`. */
extern const struct kt_activity_visitor kt_launch_cost_visitor;

/*
 * Whether there are functions of that kind: one of decode/api-functions.h's, where "copy"
 * and "fill" stand for all that begin so.
 */
bool kt_launch_cost_has_kind(const char *kind);

/* The line: x bytes, y ns; see line-fit.h. KT_E_MEMORY with a message. */
int kt_launch_cost_fit(const struct kt_launch_cost *cost, bool robust, struct kt_line *out);

/* The points as a table; texts are theirs. The caller frees it. KT_E_MEMORY. */
int kt_launch_cost_table(const struct kt_launch_cost *cost, struct kt_table *table);

void kt_launch_cost_free(struct kt_launch_cost *cost);

#endif
