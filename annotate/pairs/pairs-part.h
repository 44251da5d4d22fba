/* SPDX-License-Identifier: MIT */
/*
 * The annotation part `pairs`: resources that were set up, released or left. In JSON the
 * member "pairs" of "annotation"; as a file, one row for each resource.
 */
#ifndef KTAIL_ANNOTATE_PAIRS_PART_H
#define KTAIL_ANNOTATE_PAIRS_PART_H

#include "annotate/meaning/annotation.h"

extern const struct kt_annotation_part kt_pairs_part;

#endif
