/* SPDX-License-Identifier: MIT */
/* How much the k that is chosen hangs on single words: what it would be without each. */
#ifndef KTAIL_LEAVE_ONE_OUT_H
#define KTAIL_LEAVE_ONE_OUT_H

#include <ktail/sweep.h>
#include <ktail/words.h>

#include "infer/files/output.h"
#include "infer/graph/curve.h"

struct kt_left_out {
	char *word; /* Owned by this: its name; NULL: none is left out */
	uint64_t events;
	bool none_left; /* it is the only word: the rest is not set */
	bool convincing;
	uint64_t to; /* the plateau's last k, if convincing */
	struct kt_sweep_row row;
};

struct kt_leave_one_out {
	struct kt_left_out *rows; /* Owned by this: first without any, then by name */
	size_t n;
};

/*
 * Makes the table for a set of words; options.lo and hi are the range. The order of the
 * words does not matter. The caller clears *out, also after a failure. A sweep for each
 * word.
 */
int kt_leave_one_out(struct kt_leave_one_out *out, const kt_words *words,
		     const struct kt_sweep_options *options);

void kt_leave_one_out_clear(struct kt_leave_one_out *table);

/* struct kt_leave_one_out: .tsv .csv .json .txt. */
extern const struct kt_output_kind kt_output_leave_one_out;

#endif
