/* SPDX-License-Identifier: MIT */
/*
 * Compares, per call of an API function, counts from the traces of two annotated machines.
 * The counts come from the member "calls" of "annotation" (ktail-fsm(5)).
 */
#ifndef KTAIL_DIFF_CALLS_H
#define KTAIL_DIFF_CALLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <jansson.h>

/* Two averages per call are equal if they differ by no more than this. */
#define KT_DIFF_CALLS_TOLERANCE 5 /* per cent of the larger average */

/*
 * A kind of count that is compared. Times are not compared. Reads and writes are not
 * compared either, because they include polls.
 */
struct kt_diff_figure_kind {
	const char *key; /* member in JSON */
	const char *one; /* singular: "doorbell" */
	const char *many;
};

/* A count whose average per call of a function differs. */
struct kt_diff_figure {
	const char *name; /* Weak: name of the function */
	const struct kt_diff_figure_kind *kind;
	uint64_t n[2]; /* old, new: sum over all calls of the function */
	uint64_t calls[2];
	/*
	 * launches per call, if a whole number greater than 1 and equal in both machines;
	 * else 0
	 */
	uint64_t launches;
};

struct kt_diff_calls {
	/*
	 * for each machine (old, new), whether its annotation lists at least one call;
	 * unless both are true, all members below are empty
	 */
	bool known[2];
	struct kt_diff_figure *figures; /* Owned by this; sorted by name */
	size_t n_figures;
	size_t capacity;
	/*
	 * Owned by this, but the names are weak: only[0] has the functions that are called
	 * in no trace of the new machine, only[1] has the functions that are called in no
	 * trace of the old one
	 */
	const char **only[2];
	size_t n_only[2];
	size_t only_capacity[2];
};

/*
 * annotation[] holds the annotations of the old and of the new machine, each of which may
 * be NULL; they must outlive *out. names[] holds the names of the machines' files, for
 * messages. KT_E_MALFORMED if "calls" is not as expected. The caller frees *out, also on
 * failure.
 */
int kt_diff_calls(struct kt_diff_calls *out, const json_t *const annotation[2],
		  const char *const names[2]);

void kt_diff_calls_free(struct kt_diff_calls *calls);

#endif
