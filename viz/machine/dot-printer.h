/* SPDX-License-Identifier: MIT */
/* Internals shared by the files that implement print-dot.h. */
#ifndef KTAIL_VIZ_DOT_PRINTER_H
#define KTAIL_VIZ_DOT_PRINTER_H

#include <stdio.h>

#include "viz/machine/collapse.h"
#include "viz/drawing/dot-text.h"
#include "viz/machine/print-dot.h"
#include "viz/drawing/temperature.h"

struct kt_dot_printer {
	FILE *out;                      /* Weak */
	const struct kt_drawing *d;     /* Weak */
	const struct kt_dot_options *o; /* Weak */
};

/* Writes a colour attribute. */
static inline void kt_dot_put_colour(const struct kt_dot_printer *p, const char *name,
				     struct kt_colour c)
{
	c = kt_colour_shown(c);
	fprintf(p->out, ", %s=\"#%02x%02x%02x\"", name, c.red, c.green, c.blue);
}

/*
 * Signs before the number of requests that a transition hands to the GPU, and before the
 * number of requests whose completion it observes.
 */
#define KT_INITIATION "►"
#define KT_COMPLETION "◄"

/* Returns how many consecutive letters of a chain, beginning with the i-th, are equal. */
size_t kt_dot_run_length(const struct kt_dot_printer *p, const struct kt_drawn_edge *edge,
			 size_t i);

/* Writes the key of an edge in the list of letters: a, b, ... */
void kt_dot_put_key(const struct kt_dot_printer *p, const struct kt_drawn_edge *edge);

/*
 * Writes the letters of an edge, or the key of the edge, on one line of an HTML-like label.
 */
void kt_dot_put_summary(const struct kt_dot_printer *p, const struct kt_drawn_edge *edge);

/* Writes all letters of an edge, and its counts. */
void kt_dot_put_edge_tooltip(const struct kt_dot_printer *p, enum kt_dot_context context,
			     const struct kt_drawn_edge *edge);

/* Writes the lists of folded loops, each as a state of its own beside its hub. KT_E_MEMORY.
 */
int kt_dot_print_loops(const struct kt_dot_printer *p);

/* Writes the list of the letters of all edges. KT_E_MEMORY. */
int kt_dot_print_letters(const struct kt_dot_printer *p);

/* Writes an edge with its label and tooltip. */
void kt_dot_print_edge(const struct kt_dot_printer *p, const struct kt_drawn_edge *edge);

#endif
