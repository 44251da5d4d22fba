/* SPDX-License-Identifier: MIT */
/*
 * The part `requests` of an annotation: the points of intercession. In JSON the member
 * "requests" of "annotation"; "initiates" and "notices" of transitions: how many requests.
 * As a file: all requests, one a row.
 */
#ifndef KTAIL_ANNOTATE_REQUESTS_PART_H
#define KTAIL_ANNOTATE_REQUESTS_PART_H

#include "annotate/meaning/annotation.h"

extern const struct kt_annotation_part kt_requests_part;

#endif
