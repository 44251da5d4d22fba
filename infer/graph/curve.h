/* SPDX-License-Identifier: MIT */
/*
 * The curve of a sweep: the sizes of the machines of a range of k, what their graphs say,
 * where the curve is flat, and which k to take. Plain data; code that has a curve may read
 * every member. ktail-sweep(1) has the definitions.
 */
#ifndef KTAIL_GRAPH_CURVE_H
#define KTAIL_GRAPH_CURVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <ktail/sweep.h>
#include <ktail/words.h>

#include "infer/graph/measure.h"

/* What speaks against a machine; the first that applies. */
enum kt_verdict {
	KT_VERDICT_GOOD,    /* nothing: repeated work shows as cycles, and little is lost */
	KT_VERDICT_UNKNOWN, /* it is not measured */
	KT_VERDICT_NO_CYCLE, /* no cycle goes through more than one state */
	KT_VERDICT_MIXED,    /* small extreme: too many letters mix on self-loops */
	KT_VERDICT_RARE,     /* cycles are no more than an accident */
	KT_VERDICT_UNFOLDED, /* large extreme: nearly chains */
};

struct kt_curve_point {
	struct kt_sweep_row row;
	bool measured;
	struct kt_measures measures; /* zero if not measured */
};

/* Some k one after the other, whose machines are of the same size, or nearly. */
struct kt_plateau {
	size_t first; /* indices of points */
	size_t last;
	enum kt_verdict verdict; /* of its first machine */
};

/* How a k was found. */
enum kt_choice_kind {
	KT_CHOICE_PLATEAU, /* the first good plateau: convincing */
	KT_CHOICE_CYCLES,  /* none is good: the first good machine outside of a plateau */
	KT_CHOICE_KINDS, /* none of these: the first plateau in which most kinds of letters
			    that repeat run through cycles */
	KT_CHOICE_ORDER, /* none of these: the first in which few letters mix, or too large
			  */
	KT_CHOICE_LAST,  /* not even that: the largest k */
};

struct kt_choice {
	enum kt_choice_kind kind;
	size_t point;
	size_t plateau; /* for KT_CHOICE_PLATEAU and KT_CHOICE_KINDS */
};

struct kt_curve {
	uint64_t words;
	uint64_t letters;              /* in all words */
	struct kt_curve_point *points; /* Owned by this: by k, ascending, without a gap */
	size_t n_points;
	size_t points_capacity;
	struct kt_plateau
		*plateaus; /* Owned by this: by k, ascending; they do not overlap */
	size_t n_plateaus;
	size_t plateaus_capacity;
	struct kt_choice choice;
};

/* Machines of at most this many transitions are measured for every k. */
#define KT_CURVE_MEASURED 100000

/*
 * The whole curve of a set of words: sweeps, measures, finds plateaus, chooses. The range
 * must hold a k. Machines larger than KT_CURVE_MEASURED are measured where a plateau
 * begins, if they are no chains by their size alone. The caller clears *out, also after a
 * failure; statuses as kt_sweep_new(). One thread at a time: see igraph-adapter.h.
 *
 * Time: that of one sweep, of two where such plateaus are, and that of kt_measure() for
 * each machine that is measured (once where the next k has the same): O(size), but for the
 * shortest cycle of a machine that has many branches and no short cycle.
 */
int kt_curve_make(struct kt_curve *out, const kt_words *words,
		  const struct kt_sweep_options *options);

/* The same with another limit than KT_CURVE_MEASURED. */
int kt_curve_make_up_to(struct kt_curve *out, const kt_words *words,
			const struct kt_sweep_options *options, uint64_t limit);

void kt_curve_clear(struct kt_curve *curve);

/* The rest are functions of the points (and of the numbers of words and letters) alone. */

/* Finds the plateaus; their verdicts are KT_VERDICT_UNKNOWN. KT_E_MEMORY. O(points). */
int kt_plateaus_find(struct kt_curve *curve);

/* What speaks against the machine of a point. */
enum kt_verdict kt_curve_judge(const struct kt_curve *curve, size_t point);

/* Whether a machine is nearly chains by its size alone. */
bool kt_curve_unfolded(const struct kt_curve *curve, size_t point);

/* Judges the plateaus, and chooses one of the points, of which there must be one. */
void kt_curve_choose(struct kt_curve *curve);

#endif
