/* SPDX-License-Identifier: MIT */
/*
 * Differences of API calls between the traces of two annotated machines, per call. The
 * counts come from the member "calls" of "annotation" (ktail-fsm(5)).
 */
#ifndef KTAIL_DIFF_CALLS_H
#define KTAIL_DIFF_CALLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <jansson.h>

/* Two counts per call are equal if they differ by no more than this. */
#define KT_DIFF_CALLS_TOLERANCE 5 /* per cent of the larger count */

/*
 * A count that is compared. Times are not compared; nor are reads and writes, because they
 * include polls.
 */
struct kt_diff_figure_kind {
	const char *key; /* member in JSON */
	const char *one; /* singular: "doorbell" */
	const char *many;
};

/* A count in which the calls of a function differ. */
struct kt_diff_figure {
	const char *name; /* Weak: name of the function */
	const struct kt_diff_figure_kind *kind;
	uint64_t n[2]; /* old, new: sum over all calls */
	uint64_t calls[2];
	/* launches per call, if equal in both machines and more than 1; else 0 */
	uint64_t launches;
};

struct kt_diff_calls {
	/* old, new: calls are known; the members below are empty unless both are true */
	bool known[2];
	struct kt_diff_figure *figures; /* Owned by this; sorted by name */
	size_t n_figures;
	size_t capacity;
	/*
	 * Owned by this, with weak names: functions called only in the traces of one
	 * machine
	 */
	const char **only[2];
	size_t n_only[2];
	size_t only_capacity[2];
};

/*
 * annotation[] has the annotations of the old and the new machine, or NULL; both must
 * outlive *out. KT_E_MALFORMED, naming the file, if "calls" is not as expected. The caller
 * frees *out, also on failure.
 */
int kt_diff_calls(struct kt_diff_calls *out, const json_t *const annotation[2],
		  const char *const names[2]);

void kt_diff_calls_free(struct kt_diff_calls *calls);

#endif
