/* SPDX-License-Identifier: MIT */
/*
 * Draws a distilled machine in two columns, like figure 4 of Menychtas, Shen and Scott
 * (USENIX ATC 2013). On the left, the system interface: a box for each state with the
 * driver's activity in it. On the right, the user interface: the API calls during that
 * activity. Arrows show how often one state followed another.
 */
#ifndef KTAIL_VIZ_PLOT_DISTILLED_H
#define KTAIL_VIZ_PLOT_DISTILLED_H

#include "base/distilled/read-distilled.h"
#include "viz/scene.h"

/*
 * Draws into an empty scene, which the caller clears, also on failure. title: the heading,
 * or NULL for a default. KT_E_MEMORY. Takes as long as kt_arrange_distilled().
 */
int kt_plot_distilled(struct kt_scene *scene, const struct kt_distilled_view *view,
		      const char *title);

#endif
