/* SPDX-License-Identifier: MIT */
/*
 * Writes a scene as SVG, with texts as text elements, not as outlines. Equal scenes give
 * identical bytes.
 */
#ifndef KTAIL_VIZ_PRINT_SVG_H
#define KTAIL_VIZ_PRINT_SVG_H

#include <stdio.h>

#include "viz/drawing/scene.h"

/* Writes the scene. O(size). KT_E_IO. */
int kt_print_svg(FILE *out, const struct kt_scene *scene);

#endif
