/* SPDX-License-Identifier: MIT */
/* Why a k was chosen and what speaks for or against a plateau, in words of ASCII letters.
 */
#ifndef KTAIL_GRAPH_SAY_CHOICE_H
#define KTAIL_GRAPH_SAY_CHOICE_H

#include "infer/graph/curve.h"

/* Enough for each of the texts. */
#define KT_SAY_SIZE 512

/* Why the k of curve->choice: no sentence end. */
void kt_say_choice(char out[KT_SAY_SIZE], const struct kt_curve *curve);

/* What is to be said of a plateau: no sentence end. */
void kt_say_plateau(char out[KT_SAY_SIZE], const struct kt_curve *curve,
		    const struct kt_plateau *plateau);

/*
 * The good plateau after the i-th that was not chosen, i = 0 for the first; NULL if there
 * are no more. These are the runners-up, by k.
 */
const struct kt_plateau *kt_runner_up(const struct kt_curve *curve, size_t i);

#endif
