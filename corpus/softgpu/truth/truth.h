/* SPDX-License-Identifier: MIT */
/* The machine of program points as fsm.json has it: "machine": "truth". */
#ifndef KTAIL_SOFTGPU_TRUTH_H
#define KTAIL_SOFTGPU_TRUTH_H

#include <ktail/fsm.h>

#include "corpus/softgpu/truth/points.h"

/*
 * Makes the machine, from the settings that are chosen in `points`, in letters of `table1`.
 * The caller owns *out, which does not need `points`.
 */
int kt_truth_make(struct kt_fsm **out, const struct kt_points *points);

#endif
