/* SPDX-License-Identifier: MIT */
/*
 * The order in which the states of a drawing are handed to dot, which begins with it when
 * it looks for places from left to right: the most visited in the middle, so that busy
 * states have their loops on both sides and the hot ones next to them.
 */
#ifndef KTAIL_VIZ_ARRANGE_H
#define KTAIL_VIZ_ARRANGE_H

#include <stdint.h>

#include "viz/collapse.h"

/* The states that are drawn, drawing->n_drawn ids; the caller frees *out. KT_E_MEMORY. */
int kt_arrange_states(uint32_t **out, const struct kt_drawing *drawing);

#endif
