/* SPDX-License-Identifier: MIT */
/* How states and transitions of an annotated machine are drawn: labels and phases. */
#ifndef KTAIL_VIZ_MEANINGS_H
#define KTAIL_VIZ_MEANINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include <ktail/fsm.h>

#include "viz/temperature.h"

/* The tint of a phase: of the four that programs go through, else of any other. */
struct kt_colour kt_phase_tint(const char *phase);

/* The phases that the machine's states have, each once, in the order of a program's life,
 * others after them in byte order; most_phases at most. Weak: the machine's. */
size_t kt_phases_of(const char **phases, size_t most_phases, const struct kt_fsm *fsm);

/* Writes a label in lines of few characters, broken at blanks, each with "\\n" in front. */
void kt_label_put_lines(FILE *out, const char *label);

#endif
