/* SPDX-License-Identifier: MIT */
/*
 * Status codes that calls of the resource manager return in addition to errno. Source of
 * the facts: decode/tables/statuses.tsv.
 */
#ifndef KTAIL_DECODE_STATUSES_H
#define KTAIL_DECODE_STATUSES_H

#include <stdint.h>

#define KT_STATUS_OK 0u

/*
 * Returns NVIDIA's name of a code in a driver release (a number of kt_release_parse(); 0:
 * the newest release), or NULL if the code has no public name. If the code was added after
 * the release, returns its oldest name; if the code was removed before the release, returns
 * its newest name. Static; O(codes).
 */
const char *kt_status_name(uint32_t status, uint32_t release);

#endif
