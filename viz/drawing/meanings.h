/* SPDX-License-Identifier: MIT */
/* Draws annotations: labels and phases of states and transitions. */
#ifndef KTAIL_VIZ_MEANINGS_H
#define KTAIL_VIZ_MEANINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include <ktail/fsm.h>

#include "viz/drawing/temperature.h"

/*
 * Returns the tint of a phase. Each of the four standard phases has its own tint; all other
 * phases share one tint.
 */
struct kt_colour kt_phase_tint(const char *phase);

/*
 * Sets phases[] to the distinct phases of the machine's states, at most most_phases, and
 * returns their number. The standard phases come first, in the order in which a program
 * passes through them, then other phases in byte order. The machine owns the texts.
 */
size_t kt_phases_of(const char **phases, size_t most_phases, const struct kt_fsm *fsm);

/*
 * Writes the share and the label in short lines, broken at blanks. Each line is preceded by
 * "\n", the line break of DOT.
 */
void kt_label_put_lines(FILE *out, const char *label, double share);

/*
 * Writes the share of the letters of a state or transition to which its label applies, such
 * as "50 % ", unless the share is 1 or unknown (0).
 */
void kt_label_put_share(FILE *out, double share);

#endif
