/* SPDX-License-Identifier: MIT */
/* Drawing of annotations: labels and phases of states and transitions. */
#ifndef KTAIL_VIZ_MEANINGS_H
#define KTAIL_VIZ_MEANINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include <ktail/fsm.h>

#include "viz/temperature.h"

/*
 * Returns the tint of a phase. Each of the four standard phases has its own tint, and all
 * other phases share one.
 */
struct kt_colour kt_phase_tint(const char *phase);

/*
 * Writes the distinct phases of the machine's states, at most most_phases: first the
 * standard phases in order of a program's run, then others in byte order. The texts belong
 * to the machine. Returns the number of phases.
 */
size_t kt_phases_of(const char **phases, size_t most_phases, const struct kt_fsm *fsm);

/*
 * Writes a label and its share in short lines broken at blanks, each preceded by "\\n".
 */
void kt_label_put_lines(FILE *out, const char *label, double share);

/* Writes the share of a label, such as "50 % ", unless it is 1 or unknown (0). */
void kt_label_put_share(FILE *out, double share);

#endif
