/* SPDX-License-Identifier: MIT */
/*
 * The order of a text's suffixes, and how far neighbours in that order agree.
 */
#ifndef KTAIL_ENGINE_SUFFIXES_H
#define KTAIL_ENGINE_SUFFIXES_H

#include "infer/engine/text.h"

/*
 * The positions of the text in order of the suffixes that begin there: *order, text->n
 * elements, which the caller owns. O(n log n) at worst, near linear on traces; 4 bytes a
 * byte of text.
 */
int kt_suffixes_sort(uint32_t **order, const struct kt_text *text);

/* Stands for "nothing before it". */
#define KT_NO_POSITION UINT32_MAX

/*
 * For every position the one before it in that order (KT_NO_POSITION for the first):
 * previous[0..n), which the caller gives. O(n).
 */
void kt_suffixes_link(uint32_t *previous, const uint32_t *order, size_t n);

#endif
