/* SPDX-License-Identifier: MIT */
/* The commands of doorbells and submissions, which an export has with --with-data. */
#ifndef KTAIL_ANNOTATE_DWORDS_H
#define KTAIL_ANNOTATE_DWORDS_H

#include "annotate/export/export.h"

/*
 * Sorts ring entries, as the functions below need them. O(n log n) in the number n of ring
 * entries.
 */
void kt_export_sort_dwords(struct kt_timeline_events *events);

/*
 * Sets *out to the commands that the doorbell with this event index submitted, eight
 * hexadecimal digits for each dword, or to NULL if there are no commands or no option asks
 * for them. The caller frees *out. KT_E_MEMORY. O(log ring entries + dwords).
 */
int kt_export_dwords(char **out, const struct kt_export *export, uint32_t event);

/*
 * Like kt_export_dwords(), but for one request: the commands that a doorbell submitted to
 * one channel.
 */
int kt_export_request_dwords(char **out, const struct kt_export *export,
			     const struct kt_timeline_request *request);

#endif
