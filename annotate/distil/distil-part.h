/* SPDX-License-Identifier: MIT */
/*
 * The part `distil` of an annotation: the distilled machine (distil.h) of all letters that
 * the traces have in the machine, as its file --distil.
 */
#ifndef KTAIL_ANNOTATE_DISTIL_PART_H
#define KTAIL_ANNOTATE_DISTIL_PART_H

#include "annotate/meaning/annotation.h"

extern const struct kt_annotation_part kt_distil_part;

#endif
