/* SPDX-License-Identifier: MIT */
/* Explains in ASCII text why a k was chosen, and what speaks for or against a plateau. */
#ifndef KTAIL_GRAPH_SAY_CHOICE_H
#define KTAIL_GRAPH_SAY_CHOICE_H

#include "infer/graph/curve.h"

/* Large enough for each of the texts. */
#define KT_SAY_SIZE 640

/* Writes why the k of curve->choice was chosen, without a full stop. */
void kt_say_choice(char out[KT_SAY_SIZE], const struct kt_curve *curve);

/* Writes the assessment of a plateau, without a full stop. */
void kt_say_plateau(char out[KT_SAY_SIZE], const struct kt_curve *curve,
		    const struct kt_plateau *plateau);

/*
 * Returns the i-th runner-up, counted from 0 by ascending k: a good plateau that was not
 * chosen. NULL if there are no more.
 */
const struct kt_plateau *kt_runner_up(const struct kt_curve *curve, size_t i);

#endif
