/* SPDX-License-Identifier: MIT */
/* Writes a drawing as DOT text, without layout. */
#ifndef KTAIL_VIZ_PRINT_DOT_H
#define KTAIL_VIZ_PRINT_DOT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "viz/collapse.h"

struct kt_dot_options {
	const char *title; /* Weak; NULL: derived from the words' names */
	size_t max_label;  /* letters in an edge's label before "+N more"; at least 1 */
	bool bare;         /* without title and legend */
};

#define KT_DOT_OPTIONS_INIT                                                                \
	{                                                                                  \
		.title = NULL, .max_label = 4                                              \
	}

/*
 * Writes the drawing as a digraph. Equal drawings give identical bytes. KT_E_IO,
 * KT_E_MEMORY. O(size), plus sorting states.
 *
 * Ids and classes are stable. Nodes: id s<state>, class "state" and each of "start", "end",
 * "entry" and "cut" that applies. Edges: id t<from>-<ordinal of the first transition>,
 * class "transition" or "chain", and for a self-loop also "loop". Arrows from outside: ids
 * "start" and "entry-<state>", class "marker". In a difference, states and edges also have
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
