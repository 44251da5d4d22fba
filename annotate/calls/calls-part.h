/* SPDX-License-Identifier: MIT */
/*
 * The part of an annotation that counts what each function of the API did in all traces
 * (call-figures.h), by the innermost call: "calls", an array of objects with "name", "api",
 * those figures that are not 0, and "median" and "p99" of times; most calls first, then by
 * name. So two annotated machines can be compared (ktail diff).
 */
#ifndef KTAIL_ANNOTATE_CALLS_PART_H
#define KTAIL_ANNOTATE_CALLS_PART_H

#include "annotate/meaning/annotation.h"

extern const struct kt_annotation_part kt_calls_part;

#endif
