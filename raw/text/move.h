/* SPDX-License-Identifier: MIT */
/*
 * Moves recorded addresses into buffers: in methods that take an upper and a lower half or
 * a shifted address, in inline data as pairs of dwords, the lower half first, and in QMDs.
 */
#ifndef KTAIL_RAW_MOVE_H
#define KTAIL_RAW_MOVE_H

#include "raw/text/script.h"

/*
 * Replaces by fixups, in all words of the script that have none, the addresses in the
 * script's `moves`. KT_E_MALFORMED if one half of an address cannot be replaced;
 * KT_E_MEMORY. O(words * moves).
 */
int kt_raw_move(struct kt_raw_script *script);

#endif
