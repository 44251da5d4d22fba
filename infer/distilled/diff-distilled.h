/* SPDX-License-Identifier: MIT */
/* Compares two distilled machines that were merged into one. */
#ifndef KTAIL_INFER_DIFF_DISTILLED_H
#define KTAIL_INFER_DIFF_DISTILLED_H

#include <stdbool.h>
#include <stdio.h>

#include "base/distilled/read-distilled.h"

struct kt_distilled_diff {
	const struct kt_distilled_view *view; /* Weak: the merged machine */
	/* the first n_old machines of the merged one are the old side */
	size_t n_old;
	const char *names[2]; /* Weak: the files: old, new */
};

/*
 * Returns whether there is a state, a transition, or a letter of a transition that only one
 * side has. Letters are not compared where the list is not complete. Counts are not
 * compared.
 */
bool kt_distilled_differ(const struct kt_distilled_diff *diff);

/* Writes what only one side has. KT_E_IO. */
int kt_distilled_diff_write_text(FILE *out, const struct kt_distilled_diff *diff);

#endif
