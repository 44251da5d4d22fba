/* SPDX-License-Identifier: MIT */
/* Writes numbers of states in reports; consecutive numbers become a range. */
#ifndef KTAIL_ANNOTATE_STATE_RANGES_H
#define KTAIL_ANNOTATE_STATE_RANGES_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/*
 * Writes state numbers as ranges, "3-5 9 ". If more than one range follows the first `most`
 * ranges, writes "and 7 more " for their 7 states. Returns the width in columns; if `out`
 * is NULL, writes nothing.
 */
size_t kt_state_ranges_put(FILE *out, const uint32_t *states, size_t n, size_t most);

#endif
