/* SPDX-License-Identifier: MIT */
/*
 * The annotation part `merges`: states that were merged by hand (merges.h) get their names
 * as labels. The option --save-rules writes the rules with which the merge can be repeated.
 */
#ifndef KTAIL_ANNOTATE_MERGES_PART_H
#define KTAIL_ANNOTATE_MERGES_PART_H

#include "annotate/meaning/annotation.h"

extern const struct kt_annotation_part kt_merges_part;

#endif
