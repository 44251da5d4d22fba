/* SPDX-License-Identifier: MIT */
/*
 * Draws a distilled machine in two columns, like figure 4 of Menychtas, Shen and Scott
 * (USENIX ATC 2013). On the left, the system interface: the states of a buffer. On the
 * right, the user interface: a box for each state with the driver's activity in it, and
 * beside it the API calls during that activity. Arrows show how often one state followed
 * another.
 */
#ifndef KTAIL_VIZ_PLOT_DISTILLED_H
#define KTAIL_VIZ_PLOT_DISTILLED_H

#include "base/distilled/read-distilled.h"
#include "viz/machine/print-dot.h"
#include "viz/drawing/scene.h"

/*
 * Draws into a scene that is empty except for its page. The caller clears the scene, also
 * on failure. Texts are large enough for a page of 178 mm. If there is a page, lists are
 * shortened until the picture is no higher than such a page, as far as possible. Of the
 * options, title and list apply; `list` adds all letters of all states and arrows.
 * KT_E_MEMORY. Takes as long as kt_arrange_distilled().
 */
int kt_plot_distilled(struct kt_scene *scene, const struct kt_distilled_view *view,
		      const struct kt_dot_options *options);

#endif
