/* SPDX-License-Identifier: MIT */
/* Draws a machine so that it fits a page with letters that are large enough. */
#ifndef KTAIL_VIZ_FIT_DRAWING_H
#define KTAIL_VIZ_FIT_DRAWING_H

#include <stdbool.h>
#include <stddef.h>

#include "viz/machine/layout.h"
#include "viz/machine/print-dot.h"

/* The smallest letters on a page, in points. */
#define KT_LEAST_LETTER 6.0

/* A drawing as DOT, and with a layout. */
struct kt_fitted {
	char *dot; /* Owned by this */
	size_t size;
	struct kt_picture *pictures; /* Weak; their files are owned by this */
	size_t n_pictures;           /* 0: no layout is made */
	struct kt_layout layout;
};

/*
 * Replaces the contents of *out by a new drawing. `seconds` is the time for each setting of
 * the layout. If labels overlap something, they get fewer letters, if this helps. KT_E_IO,
 * KT_E_MEMORY. The caller frees the text and closes the pictures, also on failure.
 */
int kt_draw_once(struct kt_fitted *out, unsigned seconds, const struct kt_drawing *drawing,
		 const struct kt_dot_options *options);

/*
 * Draws with letters at the edges or, if they are too small on the page, with a list of
 * letters. If the drawing with the list is too wide, too: KT_E_USAGE with a message that
 * names the width that is needed, and the edges that might be hidden instead. `collapse` is
 * as in kt_drawing_new(), everything else as in kt_draw_once().
 */
int kt_draw_to_fit(struct kt_fitted *out, unsigned seconds,
		   const struct kt_drawing *drawing, const struct kt_dot_options *options,
		   bool collapse);

#endif
