/* SPDX-License-Identifier: MIT */
/*
 * Sweeps to be drawn: the contents of sweep.json ("ktail-sweep/1", or "ktail-sweeps/1" with
 * several groups) in memory.
 */
#ifndef KTAIL_VIZ_READ_SWEEP_H
#define KTAIL_VIZ_READ_SWEEP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <jansson.h>

#define KT_SWEEP_FORMAT  "ktail-sweep/1"
#define KT_SWEEPS_FORMAT "ktail-sweeps/1" /* sweeps of several groups of traces */

/* The largest k that the axis can show. */
#define KT_SWEEP_K_MAX 1000000000

/* Sizes of the machine for one k. */
struct kt_sweep_size {
	uint64_t k;
	uint64_t states;
	uint64_t transitions;
	uint64_t complex;
	uint64_t components; /* number of strongly connected components of several states */
	/* length in transitions of the shortest cycle through more than one state */
	uint64_t shortest;
	double self_loops; /* share, 0 to 1, of letters that are read on self-loops */
	/*
	 * `components` was measured; the next two members say whether `shortest` and
	 * `self_loops` were measured
	 */
	bool has_components;
	bool has_shortest;
	bool has_self_loops;
};

/* A range of k whose machines have nearly the same size. */
struct kt_sweep_plateau {
	uint64_t from;
	uint64_t to; /* inclusive */
	bool candidate;
	char *reason; /* Owned by this; "" if none is given */
};

struct kt_sweep_table {
	char *machine; /* Owned by this: "chains" or "pta"; NULL in a group */
	char *word;  /* Owned by this: "process", "thread" or "channel"; NULL in a group */
	char *group; /* Owned by this: the group's name; NULL if it is not in a group */
	uint64_t words;
	uint64_t events;
	/*
	 * Owned by this; sorted by k, at least one; values of k may be missing between rows
	 */
	struct kt_sweep_size *rows;
	size_t n_rows;
	struct kt_sweep_plateau *plateaus; /* Owned by this; within the rows' range */
	size_t n_plateaus;
	bool has_auto;     /* a k was chosen */
	uint64_t auto_k;   /* if has_auto: the chosen k, which is the k of a row */
	char *auto_reason; /* Owned by this; "" if none is given; NULL if !has_auto */
};

/*
 * Reads a sweep from JSON and checks it. Skips unknown members. `name` is used in messages.
 * The caller owns *out. KT_E_MALFORMED, KT_E_MEMORY. O(size).
 */
int kt_sweep_from_json(struct kt_sweep_table **out, const json_t *root, const char *name);

/* Frees the sweep and everything it owns. NULL is allowed. */
void kt_sweep_table_free(struct kt_sweep_table *sweep);

struct kt_sweep_groups {
	char *machine;                 /* Owned by this: "chains" or "pta" */
	char *word;                    /* Owned by this: "process", ... */
	struct kt_sweep_table **items; /* Owned by this, as is each item; at least one */
	size_t n;
};

/* Like kt_sweep_from_json(), for the sweeps of several groups. */
int kt_sweep_groups_from_json(struct kt_sweep_groups **out, const json_t *root,
			      const char *name);

/* Frees the groups and everything they own. NULL is allowed. */
void kt_sweep_groups_free(struct kt_sweep_groups *groups);

/* Returns the row for a k, or NULL. O(log rows). */
const struct kt_sweep_size *kt_sweep_row_of(const struct kt_sweep_table *sweep, uint64_t k);

#endif
