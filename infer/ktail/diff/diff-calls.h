/* SPDX-License-Identifier: MIT */
/*
 * What calls of the API do otherwise in the traces of one annotated machine than in those
 * of another: from the member "calls" of "annotation" (ktail-fsm(5)), per call.
 */
#ifndef KTAIL_DIFF_CALLS_H
#define KTAIL_DIFF_CALLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <jansson.h>

/* Two numbers of something per call that are no more apart than this are the same. */
#define KT_DIFF_CALLS_TOLERANCE 5 /* per cent of the greater */

/* Something that is compared: no times, and no reads and writes, of which polls are. */
struct kt_diff_figure_kind {
	const char *key; /* in JSON */
	const char *one; /* "doorbell" */
	const char *many;
};

/* A figure in which a function differs. */
struct kt_diff_figure {
	const char *name; /* Weak: of the function */
	const struct kt_diff_figure_kind *kind;
	uint64_t n[2]; /* old, new: in all calls */
	uint64_t calls[2];
	/* Per call, where it is the same on both sides and more than 1; else 0 */
	uint64_t launches;
};

struct kt_diff_calls {
	bool known[2];                  /* both: else there is nothing below */
	struct kt_diff_figure *figures; /* Owned by this; by names */
	size_t n_figures;
	size_t capacity;
	const char **only[2]; /* Owned by this; weak names: functions that one side calls */
	size_t n_only[2];
	size_t only_capacity[2];
};

/*
 * annotation: of the old and the new machine, NULL: none; they must outlive *out.
 * KT_E_MALFORMED, in the name of its file, if "calls" is not as it should be. The caller
 * frees *out, also on failure.
 */
int kt_diff_calls(struct kt_diff_calls *out, const json_t *const annotation[2],
		  const char *const names[2]);

void kt_diff_calls_free(struct kt_diff_calls *calls);

#endif
