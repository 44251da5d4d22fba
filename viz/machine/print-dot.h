/* SPDX-License-Identifier: MIT */
/* Writes a drawing as DOT text, without layout. */
#ifndef KTAIL_VIZ_PRINT_DOT_H
#define KTAIL_VIZ_PRINT_DOT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "viz/machine/collapse.h"

enum kt_heading { KT_HEADING_ABOVE, KT_HEADING_BELOW, KT_HEADING_NONE };

struct kt_dot_options {
	const char *title;   /* Weak; NULL: derived from the words' names */
	size_t max_label;    /* letters in an edge's label before "+N more"; at least 1 */
	const char *rankdir; /* Weak; value of Graphviz's attribute */
	const char *font;    /* Weak; NULL: Helvetica or the like */
	enum kt_heading heading;
	bool list; /* edges have keys, and a list below the drawing has their letters */
	/* in points: width to which the drawing is reduced, and to which heading and list
	 * are broken; 0: no limit */
	double page;
	double text_width;
};

#define KT_DOT_OPTIONS_INIT                                                                \
	{                                                                                  \
		.title = NULL, .max_label = 4, .rankdir = "TB"                             \
	}

/* Name of the node that holds the list of letters. */
#define KT_DOT_LETTERS "letters"

/* The smallest letters of a drawing, in points before it is reduced. */
#define KT_DOT_SMALLEST 10.0

/*
 * Writes the drawing as a digraph. Equal drawings give identical bytes. KT_E_IO,
 * KT_E_MEMORY. O(size), plus sorting states.
 *
 * Ids and classes are stable. Nodes: id s<state>, class "state" and each of "start", "end",
 * "entry" and "cut" that applies. Edges: id t<from>-<ordinal of the first transition>,
 * class "transition" or "chain", and for a self-loop also "loop". Arrows from outside: ids
 * "start" and "entry-<state>", class "marker". Lists of loops: id loops-<state>, class
 * "loops"; the list of letters: id "letters". In a difference, states and edges also have
 * the class "both", "old" or "new", and are drawn as in diff-style.h instead of by
 * temperature.
 *
 * A letter that has a name is shown by this name. An edge with a named letter has the
 * attribute `letter`, which lists all letters of the edge, one per line. The tooltip of an
 * edge shows every letter.
 */
int kt_print_dot(FILE *out, const struct kt_drawing *drawing,
		 const struct kt_dot_options *options);

#endif
