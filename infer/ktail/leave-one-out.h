/* SPDX-License-Identifier: MIT */
/*
 * Measures how sensitive the chosen k is to single words: chooses k again without each of
 * the words.
 */
#ifndef KTAIL_LEAVE_ONE_OUT_H
#define KTAIL_LEAVE_ONE_OUT_H

#include <ktail/sweep.h>
#include <ktail/words.h>

#include "infer/files/output.h"
#include "infer/graph/curve.h"

struct kt_left_out {
	/* Owned by this: name of the word left out; NULL in the row with all words */
	char *word;
	uint64_t events;
	bool none_left; /* the only word was left out, so no k was chosen */
	bool convincing;
	uint64_t to; /* if convincing: the last k of the plateau */
	struct kt_sweep_row row;
};

struct kt_leave_one_out {
	/*
	 * Owned by this: the row with all words, then one row for each word left out,
	 * sorted by the word's name
	 */
	struct kt_left_out *rows;
	size_t n;
	const char *group; /* Weak: name of the words' group; NULL without groups */
};

/* The tables of all groups, or one table. */
struct kt_leave_one_outs {
	struct kt_leave_one_out *tables; /* Owned by this */
	size_t n;
};

/*
 * Makes the table for a set of words and each k from options->lo to options->hi. The order
 * of the words does not matter. The caller clears *out, also after a failure. Cost: one
 * sweep per row.
 */
int kt_leave_one_out(struct kt_leave_one_out *out, const kt_words *words,
		     const struct kt_sweep_options *options);

void kt_leave_one_out_clear(struct kt_leave_one_out *table);

/* Formats of struct kt_leave_one_outs: .tsv .csv .json .txt. */
extern const struct kt_output_kind kt_output_leave_one_out;

#endif
