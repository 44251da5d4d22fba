/* SPDX-License-Identifier: MIT */
/* Writes a scene with cairo: as PNG with two pixels per point, or as PDF. */
#ifndef KTAIL_VIZ_PRINT_CAIRO_H
#define KTAIL_VIZ_PRINT_CAIRO_H

#include <stdio.h>

#include "viz/drawing/scene.h"

/* Write the scene. KT_E_IO, KT_E_MEMORY. */
int kt_print_png(FILE *out, const struct kt_scene *scene);
int kt_print_pdf(FILE *out, const struct kt_scene *scene);

/*
 * Frees the fonts that cairo and fontconfig cache. Call it only if the program draws no
 * more pictures and does not use the two libraries otherwise.
 */
void kt_cairo_done(void);

#endif
