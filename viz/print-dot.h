/* SPDX-License-Identifier: MIT */
/* A drawing as DOT text, without any layout. */
#ifndef KTAIL_VIZ_PRINT_DOT_H
#define KTAIL_VIZ_PRINT_DOT_H

#include <stddef.h>
#include <stdio.h>

#include "viz/collapse.h"

struct kt_dot_options {
	const char *title; /* Weak; NULL: made from the words' names */
	size_t max_label;  /* letters in an edge's label before "+N more"; at least 1 */
};

#define KT_DOT_OPTIONS_INIT                                                                \
	{                                                                                  \
		.title = NULL, .max_label = 4                                              \
	}

/*
 * Writes the drawing as a digraph; the same drawing gives the same bytes. Ids and classes
 * are stable: node s<state> ("state", and of "start end entry cut" what it is), edge
 * t<from>-<ordinal of its first transition> ("transition" or "chain", and "loop"), arrows
 * in from nowhere "start" and "entry-<state>" ("marker"). Tooltips hold every letter.
 * Letters are shown by their names; an edge with a letter that has one has an attribute
 * `letter`: all its letters, a line each.
 * In a difference states and edges are also of class "both", "old" or "new", and drawn as
 * diff-style.h says instead of by temperature.
 * O(size). KT_E_IO, KT_E_MEMORY.
 */
int kt_print_dot(FILE *out, const struct kt_drawing *drawing,
		 const struct kt_dot_options *options);

#endif
