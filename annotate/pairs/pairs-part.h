/* SPDX-License-Identifier: MIT */
/*
 * The annotation part `pairs`: resources that were set up, taken down or left at exit. Its
 * JSON is the member "pairs" of "annotation"; its file has one row for each resource.
 */
#ifndef KTAIL_ANNOTATE_PAIRS_PART_H
#define KTAIL_ANNOTATE_PAIRS_PART_H

#include "annotate/meaning/annotation.h"

extern const struct kt_annotation_part kt_pairs_part;

#endif
