/* SPDX-License-Identifier: MIT */
/*
 * Renders DOT text with Graphviz. Graphviz runs in a child process, since it can take
 * extremely long for dense graphs and libgvc leaks memory. A child that exceeds its time
 * budget is killed, and a cheaper setting is tried with the same budget.
 */
#ifndef KTAIL_VIZ_LAYOUT_H
#define KTAIL_VIZ_LAYOUT_H

#include <stddef.h>
#include <stdio.h>

#include "viz/machine/position-labels.h"

struct kt_picture {
	const char *format; /* Weak; "svg", "png", "pdf" or "json": drawing operations */
	/*
	 * Owned by this, set by kt_lay_out(): the picture, to be read from its beginning;
	 * NULL: none
	 */
	FILE *file;
};

struct kt_layout {
	/* Static: the setting that was used; NULL: the first, best one */
	const char *way;
	double width;   /* of the picture in points, before it is reduced to a page */
	double height;  /* likewise */
	struct kt_label_faults faults; /* none if the graph is large */
};

/*
 * Computes the layout of `dot` and renders all n pictures of it, with at most `seconds` for
 * each setting that is tried. If labels overlap something, or keys are nearer to another
 * edge, layouts with more space follow in this time, unless the graph is large, and the one
 * with the fewest such labels is taken, but none that is wider than `widest` points. The
 * process must have no other threads. KT_E_IO if no setting finished in time, or if
 * Graphviz failed or crashed; on failure, no picture has a file.
 */
int kt_lay_out(struct kt_picture *pictures, size_t n, const char *dot, unsigned seconds,
	       double widest, struct kt_layout *layout);

/* Closes the pictures' files. */
void kt_pictures_close(struct kt_picture *pictures, size_t n);

#endif
