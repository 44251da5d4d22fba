/* SPDX-License-Identifier: MIT */
/*
 * The annotation part `distil`: makes the distilled machine (distil.h) from all letters
 * that are placed in the machine. The option --distil writes it to a file.
 */
#ifndef KTAIL_ANNOTATE_DISTIL_PART_H
#define KTAIL_ANNOTATE_DISTIL_PART_H

#include "annotate/meaning/annotation.h"

extern const struct kt_annotation_part kt_distil_part;

#endif
