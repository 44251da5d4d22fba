/* SPDX-License-Identifier: MIT */
/*
 * Plots the sweeps of several groups of traces in one picture, as figure 2 of Menychtas,
 * Shen and Scott (USENIX ATC 2013) does for three GPUs: for each group a thick curve of its
 * states and a thin one of its complex states over k. Each group has a colour and a dash
 * pattern of its own, so that six groups can be distinguished in black and white. A line
 * marks the k chosen for each group.
 */
#ifndef KTAIL_VIZ_PLOT_GROUPS_H
#define KTAIL_VIZ_PLOT_GROUPS_H

#include "viz/plots/read-sweep.h"
#include "viz/drawing/scene.h"

/*
 * Draws into an empty scene, which the caller clears, also on failure. `title` is the
 * heading; NULL: a default. KT_E_MEMORY. O(size + groups^3).
 */
int kt_plot_groups(struct kt_scene *scene, const struct kt_sweep_groups *groups,
		   const char *title);

#endif
