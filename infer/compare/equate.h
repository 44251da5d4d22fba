/* SPDX-License-Identifier: MIT */
/*
 * Whether two machines have one language, by Hopcroft and Karp ("A linear algorithm for
 * testing equivalence of finite automata", Cornell TR 71-114, 1971): states that one word
 * leads to are united; the languages differ iff two of one class do not have the same
 * letters. All states accept, and a missing transition leads to the dead state, which
 * accepts nothing, so nothing is ever united with it.
 */
#ifndef KTAIL_ENGINE_EQUATE_H
#define KTAIL_ENGINE_EQUATE_H

#include <stdbool.h>

#include "infer/compare/joint.h"

/* At most states - 1 unions: near linear in the sizes. */
int kt_equate(bool *out, const struct kt_joint *joint);

#endif
