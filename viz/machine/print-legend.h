/* SPDX-License-Identifier: MIT */
/* The head of a drawing: title, sizes and legend, as one HTML-like label. */
#ifndef KTAIL_VIZ_PRINT_LEGEND_H
#define KTAIL_VIZ_PRINT_LEGEND_H

#include <stdint.h>
#include <stdio.h>

#include "viz/machine/collapse.h"
#include "viz/machine/print-dot.h"

/*
 * Writes the whole head as an HTML-like label, "<...>", with lines no longer than the
 * options say. KT_E_MEMORY.
 */
int kt_print_legend(FILE *out, const struct kt_drawing *drawing,
		    const struct kt_dot_options *options);

/* Writes a number followed by its unit, in the plural unless the number is 1. */
void kt_print_count(FILE *out, uint64_t n, const char *unit);

#endif
