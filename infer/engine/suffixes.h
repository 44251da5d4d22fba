/* SPDX-License-Identifier: MIT */
/* Order of a text's suffixes, and the neighbours in that order. */
#ifndef KTAIL_ENGINE_SUFFIXES_H
#define KTAIL_ENGINE_SUFFIXES_H

#include "infer/engine/text.h"

/*
 * Sorts the positions of the text by the suffixes that begin there. The caller owns *order,
 * which has text->n elements. O(n log n) at worst, near linear on traces; 4 bytes per byte
 * of text.
 */
int kt_suffixes_sort(uint32_t **order, const struct kt_text *text);

/* Means "no position precedes this one". */
#define KT_NO_POSITION UINT32_MAX

/*
 * Writes to previous[p] the position that precedes p in the order of suffixes, or
 * KT_NO_POSITION for the first. The caller provides previous[0..n). O(n).
 */
void kt_suffixes_link(uint32_t *previous, const uint32_t *order, size_t n);

#endif
