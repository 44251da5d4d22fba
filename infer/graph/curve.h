/* SPDX-License-Identifier: MIT */
/*
 * The curve of a sweep: sizes and graph measures of the machines for a range of k, the
 * plateaus of the curve, and the chosen k. ktail-sweep(1) defines these terms. Callers may
 * read all members.
 */
#ifndef KTAIL_GRAPH_CURVE_H
#define KTAIL_GRAPH_CURVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <ktail/sweep.h>
#include <ktail/words.h>

#include "infer/graph/measure.h"

/* What speaks against a machine: the first objection that applies. */
enum kt_verdict {
	KT_VERDICT_GOOD,     /* no objection: repeated work shows as cycles, and little
			      * order is lost */
	KT_VERDICT_UNKNOWN,  /* the machine was not measured */
	KT_VERDICT_NO_CYCLE, /* no cycle goes through more than one state */
	KT_VERDICT_MIXED,    /* too small: too many letters mix on self-loops */
	KT_VERDICT_RARE,     /* too few letters run through cycles */
	KT_VERDICT_UNFOLDED, /* too large: nearly chains */
};

struct kt_curve_point {
	struct kt_sweep_row row;
	bool measured;
	struct kt_measures measures; /* zero if not measured */
};

/* A range of consecutive k whose machines are nearly of the same size. */
struct kt_plateau {
	size_t first;            /* index in `points` */
	size_t last;             /* index in `points` */
	enum kt_verdict verdict; /* verdict on the machine of point `first` */
};

/* How k was chosen. */
enum kt_choice_kind {
	KT_CHOICE_PLATEAU, /* the first good plateau, or a later one for the doorbells:
			    * convincing */
	KT_CHOICE_CYCLES,  /* no plateau is good: the first good machine */
	KT_CHOICE_KINDS,   /* no machine is good: the first plateau in which most kinds of
			    * repeated letters run through cycles */
	KT_CHOICE_ORDER,   /* there is no such plateau: the first machine with k > 0 in
			    * which at most half of the letters mix, or that is too large to
			    * measure */
	KT_CHOICE_LAST,    /* there is no such machine: the largest k */
};

struct kt_choice {
	enum kt_choice_kind kind;
	size_t point;
	size_t plateau; /* for KT_CHOICE_PLATEAU and KT_CHOICE_KINDS */
};

struct kt_curve {
	uint64_t words;
	uint64_t letters;              /* letters in all words */
	struct kt_curve_point *points; /* Owned by this: ascending k, without gaps */
	size_t n_points;
	size_t points_capacity;
	struct kt_plateau *plateaus; /* Owned by this: ascending k, without overlaps */
	size_t n_plateaus;
	size_t plateaus_capacity;
	struct kt_choice choice;
};

/* Machines of at most this many transitions are measured for every k. */
#define KT_CURVE_MEASURED 100000

/*
 * Computes the curve of a word set: sweeps, measures, finds plateaus, and chooses. The
 * range of k must not be empty. A machine with more than KT_CURVE_MEASURED transitions is
 * measured only at the beginning of a plateau, and only if its size alone does not show
 * that it is little more than chains. The caller clears *out, also on failure. Statuses as
 * for kt_sweep_new(). One thread at a time: see igraph-adapter.h.
 *
 * Time: one sweep, or two if a machine above KT_CURVE_MEASURED is measured; and
 * kt_measure() for each measured machine, but only once for consecutive equal machines.
 * kt_measure() takes O(size), or longer if a machine has many branches and no short cycle.
 */
int kt_curve_make(struct kt_curve *out, const kt_words *words,
		  const struct kt_sweep_options *options);

/* Like kt_curve_make(), with `limit` in place of KT_CURVE_MEASURED. */
int kt_curve_make_up_to(struct kt_curve *out, const kt_words *words,
			const struct kt_sweep_options *options, uint64_t limit);

void kt_curve_clear(struct kt_curve *curve);

/* The functions below depend only on the points and the numbers of words and letters. */

/* Finds the plateaus, with verdicts KT_VERDICT_UNKNOWN. KT_E_MEMORY. O(points). */
int kt_plateaus_find(struct kt_curve *curve);

/* Returns the verdict on the machine of a point. */
enum kt_verdict kt_curve_judge(const struct kt_curve *curve, size_t point);

/* Returns whether the size alone shows that a machine is little more than chains. */
bool kt_curve_unfolded(const struct kt_curve *curve, size_t point);

/* Returns whether most doorbells of a machine are self-loops; false if not measured. */
bool kt_curve_doorbells_loop(const struct kt_curve *curve, size_t point);

/* Judges the plateaus and chooses a point; there must be at least one point. */
void kt_curve_choose(struct kt_curve *curve);

#endif
