/* SPDX-License-Identifier: MIT */
/* Two machines whose states are matched, laid over each other. */
#ifndef KTAIL_ENGINE_OVERLAY_H
#define KTAIL_ENGINE_OVERLAY_H

#include "infer/compare/joint.h"
#include "infer/compare/match.h"

/*
 * Makes the machine "diff", see kt_diff_machine(). id[0][s] and id[1][s]: the numbers in it
 * of old and new states. The caller owns them and *out; all NULL on failure. O(n log n).
 */
int kt_overlay(struct kt_fsm **out, uint32_t *id[2], const struct kt_joint *joint,
	       const struct kt_match *match);

#endif
