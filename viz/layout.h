/* SPDX-License-Identifier: MIT */
/*
 * Renders DOT text with Graphviz in a child process, since layouts of dense graphs can take
 * extremely long and libgvc leaks memory. The child has a time budget; if it is exceeded,
 * the child is killed and a cheaper setting is tried with the same budget.
 */
#ifndef KTAIL_VIZ_LAYOUT_H
#define KTAIL_VIZ_LAYOUT_H

#include <stddef.h>
#include <stdio.h>

struct kt_picture {
	const char *format; /* Weak; "svg", "png" or "pdf" */
	FILE *file; /* Owned by this; the picture, ready to be read; set by kt_lay_out() */
};

/*
 * Computes the layout of `dot` once and renders all n pictures, with at most `seconds` per
 * attempted setting. *way describes the setting that was used, in static storage; NULL for
 * the first setting. The process must have no other threads. On failure no picture has a
 * file. KT_E_IO if no setting finished in time, or Graphviz failed or crashed.
 */
int kt_lay_out(struct kt_picture *pictures, size_t n, const char *dot, unsigned seconds,
	       const char **way);

/* Closes the files of the pictures. */
void kt_pictures_close(struct kt_picture *pictures, size_t n);

#endif
