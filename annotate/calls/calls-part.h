/* SPDX-License-Identifier: MIT */
/*
 * The annotation part `calls`: what each function of the API did in all traces
 * (call-figures.h), so that `ktail diff` can compare annotated machines. An event counts
 * for the thread's innermost open call. In JSON: "calls", an array of objects with "name",
 * "api", the non-zero figures, and "median" and "p99" of times. The objects are in order of
 * descending number of calls, then of names.
 */
#ifndef KTAIL_ANNOTATE_CALLS_PART_H
#define KTAIL_ANNOTATE_CALLS_PART_H

#include "annotate/meaning/annotation.h"

extern const struct kt_annotation_part kt_calls_part;

#endif
