/* SPDX-License-Identifier: MIT */
/*
 * Status codes that calls of the resource manager return in addition to errno. Source of
 * the facts: decode/tables/statuses.tsv.
 */
#ifndef KTAIL_DECODE_STATUSES_H
#define KTAIL_DECODE_STATUSES_H

#include <stdint.h>

/* Success. */
#define KT_STATUS_OK 0u

/*
 * Returns NVIDIA's name of a code in a driver release (kt_release_parse(); 0: the newest),
 * or NULL if it has no public name. If the release does not have the code, returns the
 * code's newest name. Static; O(codes).
 */
const char *kt_status_name(uint32_t status, uint32_t release);

#endif
