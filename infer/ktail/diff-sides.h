/* SPDX-License-Identifier: MIT */
/* The two machines that `ktail diff` compares: read, or inferred from traces. */
#ifndef KTAIL_DIFF_SIDES_H
#define KTAIL_DIFF_SIDES_H

#include <stdbool.h>

#include <ktail/ktail.h>

#include "infer/ktail/load.h"

/* Texts of a command line, in order. */
struct kt_diff_list {
	char **items; /* Owned by this; its strings are argv's */
	size_t n;
	size_t capacity;
};

struct kt_diff_side {
	struct kt_diff_list paths; /* one machine, or traces */
	kt_words *words;           /* Owned by this; NULL of a machine that was read */
	char *alphabet;            /* Owned by this, or NULL */
	struct kt_fsm *fsm;        /* Owned by this */
};

struct kt_diff_sides {
	struct kt_diff_side side[2]; /* old, new */
	struct kt_diff_list without; /* letters to leave out, before anything else */
	struct kt_diff_list runs;    /* letters whose runs count as one */
	bool has_k;
	bool wants_auto; /* chosen, also where the other side's machine has one */
	unsigned long k;
	enum kt_machine machine;
};

int kt_diff_list_add(struct kt_diff_list *list, const char *text);

/*
 * Fills in words and machines. Traces of both sides are inferred with one k: the one that
 * was given, else that of the machine on the other side, else one that is chosen for the
 * words of both sides together. Warns of what makes two machines
 * hard to compare.
 */
int kt_diff_sides_load(struct kt_diff_sides *sides, const struct kt_load_options *load);

/* Whether both machines were inferred here. */
bool kt_diff_sides_have_words(const struct kt_diff_sides *sides);

/*
 * Both machines, reduced. *cut: one would have more than 20,000 states, or take more than
 * *steps (see kt_reduce_machine()), and both are NULL. The caller owns them.
 */
int kt_diff_sides_reduce(struct kt_fsm *out[2], bool *cut,
			 const struct kt_diff_sides *sides,
			 const struct kt_reduction *reduction, uint64_t *steps);

void kt_diff_sides_clear(struct kt_diff_sides *sides);

#endif
