/* SPDX-License-Identifier: MIT */
/*
 * Status codes of the resource manager, which its calls give beside errno. Source of the
 * facts: decode/tables/statuses.tsv.
 */
#ifndef KTAIL_DECODE_STATUSES_H
#define KTAIL_DECODE_STATUSES_H

#include <stdint.h>

/* All was well. */
#define KT_STATUS_OK 0u

/*
 * NVIDIA's name of a code under a driver release (kt_release_parse(); 0: the youngest), or
 * NULL: it has no public one. A release in which it was gone has the youngest name. Static;
 * O(codes).
 */
const char *kt_status_name(uint32_t status, uint32_t release);

#endif
