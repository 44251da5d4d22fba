/* SPDX-License-Identifier: MIT */
/* Internals shared by the files that implement print-dot.h. */
#ifndef KTAIL_VIZ_DOT_PRINTER_H
#define KTAIL_VIZ_DOT_PRINTER_H

#include <stdio.h>

#include "viz/collapse.h"
#include "viz/print-dot.h"
#include "viz/temperature.h"

struct kt_dot_printer {
	FILE *out;                      /* Weak */
	const struct kt_drawing *d;     /* Weak */
	const struct kt_dot_options *o; /* Weak */
};

/* Writes a colour attribute. */
static inline void kt_dot_put_colour(const struct kt_dot_printer *p, const char *name,
				     struct kt_colour c)
{
	fprintf(p->out, ", %s=\"#%02x%02x%02x\"", name, c.red, c.green, c.blue);
}

/* Writes an edge with its label and tooltip. */
void kt_dot_print_edge(const struct kt_dot_printer *p, const struct kt_drawn_edge *edge);

#endif
