/* SPDX-License-Identifier: MIT */
/*
 * Plots a sweep: the sizes of the machines over k, with a logarithmic axis of sizes:
 * states, complex states and, in a thin line, transitions. Plateaus are shaded, candidates
 * darker; a line with its sizes marks the chosen k, lighter lines the other candidates. The
 * form is that of figure 2 of Menychtas, Shen and Scott (USENIX ATC 2013).
 */
#ifndef KTAIL_VIZ_PLOT_SWEEP_H
#define KTAIL_VIZ_PLOT_SWEEP_H

#include "viz/read-sweep.h"
#include "viz/scene.h"

/*
 * Draws into an empty scene, which the caller clears, also on failure. title: the heading,
 * or NULL for a default. KT_E_MEMORY. O(size).
 */
int kt_plot_sweep(struct kt_scene *scene, const struct kt_sweep_table *sweep,
		  const char *title);

#endif
