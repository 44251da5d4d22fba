/* SPDX-License-Identifier: MIT */
/*
 * Pictures from DOT text, by Graphviz in a child process: layouts of dense graphs may take
 * for ever, and libgvc leaks. The child gets a time budget; when that is spent it is killed
 * and a cheaper way is tried, with the same budget again.
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
 * Lays `dot` out once and renders each of the n pictures, at most `seconds` for each way
 * that is tried. *way says which way it was when it was not the first one, else is NULL;
 * static storage. On failure no picture has a file. The caller must have no other thread.
 * KT_E_IO when no way ended in time, or Graphviz failed or died.
 */
int kt_lay_out(struct kt_picture *pictures, size_t n, const char *dot, unsigned seconds,
	       const char **way);

/* Closes the pictures' files. */
void kt_pictures_close(struct kt_picture *pictures, size_t n);

#endif
