/* SPDX-License-Identifier: MIT */
/* Writes where Graphviz has put the states and edges of a drawing, as JSON. */
#ifndef KTAIL_VIZ_PRINT_LAYOUT_H
#define KTAIL_VIZ_PRINT_LAYOUT_H

#include <stdio.h>

#include "viz/machine/collapse.h"

#define KT_LAYOUT_FORMAT "ktail-layout/1"

/*
 * Reads `picture`, which kt_lay_out() made in the format "json" from the DOT of the
 * drawing, and writes it in the format that ktail-render(1) describes: one compact line,
 * lengths in points, y downwards. KT_E_IO if the picture cannot be read, KT_E_MEMORY.
 * O(size).
 */
int kt_print_layout(FILE *out, FILE *picture, const struct kt_drawing *drawing);

#endif
