/* SPDX-License-Identifier: MIT */
/*
 * The part `pairs` of an annotation: what was set up and taken down, and what was left. In
 * JSON the member "pairs" of "annotation". As a file: all things that were set up, one a
 * row.
 */
#ifndef KTAIL_ANNOTATE_PAIRS_PART_H
#define KTAIL_ANNOTATE_PAIRS_PART_H

#include "annotate/meaning/annotation.h"

extern const struct kt_annotation_part kt_pairs_part;

#endif
