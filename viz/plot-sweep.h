/* SPDX-License-Identifier: MIT */
/*
 * A sweep as a plot: the sizes of the machines over k. Sizes are on a logarithmic axis:
 * states, complex states, and thin behind them transitions. Plateaus are shaded, candidates
 * darker; the k that was picked is a line with its sizes, those that nearly were are
 * lighter lines. The form is that of figure 2 of Menychtas, Shen and Scott (USENIX ATC
 * 2013).
 */
#ifndef KTAIL_VIZ_PLOT_SWEEP_H
#define KTAIL_VIZ_PLOT_SWEEP_H

#include "viz/read-sweep.h"
#include "viz/scene.h"

/*
 * Draws the sweep into an empty scene, which the caller clears, also after a failure.
 * title: the heading; NULL: one that says what this is. KT_E_MEMORY. O(size).
 */
int kt_plot_sweep(struct kt_scene *scene, const struct kt_sweep_table *sweep,
		  const char *title);

#endif
