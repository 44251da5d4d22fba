/* SPDX-License-Identifier: MIT */
/* A scene as PNG, two dots a point, or as PDF, by cairo. */
#ifndef KTAIL_VIZ_PRINT_CAIRO_H
#define KTAIL_VIZ_PRINT_CAIRO_H

#include <stdio.h>

#include "viz/scene.h"

/* Write the scene. KT_E_IO, KT_E_MEMORY. */
int kt_print_png(FILE *out, const struct kt_scene *scene);
int kt_print_pdf(FILE *out, const struct kt_scene *scene);

/*
 * Frees what cairo and fontconfig keep of fonts for the next picture. For a program that is
 * done with pictures, and has no other user of either.
 */
void kt_cairo_done(void);

#endif
