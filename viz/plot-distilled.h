/* SPDX-License-Identifier: MIT */
/*
 * A distilled machine as two columns, in the form of figure 4 of Menychtas, Shen and Scott
 * (USENIX ATC 2013): on the left the interface of the system, a box for each state with
 * what the driver does in it; on the right that of the user, the calls of the API that it
 * does it in. Arrows have the counts of how often one state came after the other.
 */
#ifndef KTAIL_VIZ_PLOT_DISTILLED_H
#define KTAIL_VIZ_PLOT_DISTILLED_H

#include "viz/read-distilled.h"
#include "viz/scene.h"

/*
 * Draws it into an empty scene, which the caller clears, also after a failure. title: the
 * heading; NULL: one that says what this is. KT_E_MEMORY. O(arrows^2).
 */
int kt_plot_distilled(struct kt_scene *scene, const struct kt_distilled_view *view,
		      const char *title);

#endif
