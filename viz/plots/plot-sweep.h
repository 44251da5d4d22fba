/* SPDX-License-Identifier: MIT */
/*
 * Plots a sweep: the numbers of states, complex states and (as a thin line) transitions
 * over k, on a logarithmic axis of sizes. Plateaus are shaded; plateaus that are candidates
 * are darker. A line marks the chosen k, labelled with the sizes of the machine; lighter
 * lines mark the other candidates. Figure 2 of Menychtas, Shen and Scott (USENIX ATC 2013)
 * also shows sizes over k.
 */
#ifndef KTAIL_VIZ_PLOT_SWEEP_H
#define KTAIL_VIZ_PLOT_SWEEP_H

#include "viz/plots/read-sweep.h"
#include "viz/drawing/scene.h"

/*
 * Draws into an empty scene, which the caller clears, also on failure. `title` is the
 * heading; NULL: a default. KT_E_MEMORY. O(size).
 */
int kt_plot_sweep(struct kt_scene *scene, const struct kt_sweep_table *sweep,
		  const char *title);

#endif
