/* SPDX-License-Identifier: MIT */
/*
 * Which k: the smallest machine on a joint plateau that is no extreme and in which repeated
 * work shows as cycles through more than one state, as Menychtas, Shen and Scott ask for
 * (USENIX ATC 2013, section 3). The numbers below are what "extreme" and "shows" mean here.
 */
#include "infer/graph/curve.h"

/* Of this many letters, one runs through cycles. */
#define LETTERS_TO_CYCLES 10
/* A state stands for this many positions in the words. */
#define POSITIONS_TO_STATES 2
/* For lack of cycles: of this many letters, no more than one mixes on self-loops. */
#define LETTERS_TO_MIXED 2

bool kt_curve_unfolded(const struct kt_curve *curve, size_t point)
{
	return curve->points[point].row.states >
	       (curve->letters + curve->words) / POSITIONS_TO_STATES;
}

enum kt_verdict kt_curve_judge(const struct kt_curve *curve, size_t point)
{
	const struct kt_measures *m = &curve->points[point].measures;

	if (!curve->points[point].measured) {
		return kt_curve_unfolded(curve, point) ? KT_VERDICT_UNFOLDED
						       : KT_VERDICT_UNKNOWN;
	}
	if (m->components == 0) {
		return KT_VERDICT_NO_CYCLE;
	}
	/* More letters run through cycles than mix on self-loops, else too much is lost. */
	if (m->cycles <= m->mixed) {
		return KT_VERDICT_MIXED;
	}
	if (m->cycles < (m->letters + LETTERS_TO_CYCLES - 1) / LETTERS_TO_CYCLES) {
		return KT_VERDICT_RARE;
	}
	return kt_curve_unfolded(curve, point) ? KT_VERDICT_UNFOLDED : KT_VERDICT_GOOD;
}

void kt_curve_choose(struct kt_curve *curve)
{
	for (size_t i = 0; i < curve->n_plateaus; i++) {
		struct kt_plateau *plateau = &curve->plateaus[i];

		plateau->verdict = kt_curve_judge(curve, plateau->first);
	}
	for (size_t i = 0; i < curve->n_plateaus; i++) {
		if (curve->plateaus[i].verdict == KT_VERDICT_GOOD) {
			curve->choice = (struct kt_choice){KT_CHOICE_PLATEAU,
							   curve->plateaus[i].first, i};
			return;
		}
	}
	for (size_t i = 0; i < curve->n_points; i++) {
		if (kt_curve_judge(curve, i) == KT_VERDICT_GOOD) {
			curve->choice = (struct kt_choice){KT_CHOICE_CYCLES, i, 0};
			return;
		}
	}
	/*
	 * Where one thing is done over and over, mixed with polls, it outweighs all else,
	 * and may show as no cycle for any k. The other kinds of work are worth to be told
	 * apart all the same.
	 */
	for (size_t i = 0; i < curve->n_plateaus; i++) {
		size_t first = curve->plateaus[i].first;
		const struct kt_curve_point *point = &curve->points[first];

		if (point->measured && !kt_curve_unfolded(curve, first) &&
		    point->measures.kinds_in_cycles > point->measures.kinds / 2) {
			curve->choice = (struct kt_choice){KT_CHOICE_KINDS, first, i};
			return;
		}
	}
	/*
	 * k = 0 is left out: its one state has no order even where there is only one
	 * letter. What is too large to be measured is not trivial.
	 */
	for (size_t i = 0; i < curve->n_points; i++) {
		const struct kt_curve_point *point = &curve->points[i];

		if (point->row.k > 0 &&
		    point->measures.mixed <= point->measures.letters / LETTERS_TO_MIXED) {
			curve->choice = (struct kt_choice){KT_CHOICE_ORDER, i, 0};
			return;
		}
	}
	curve->choice = (struct kt_choice){KT_CHOICE_LAST, curve->n_points - 1, 0};
}
