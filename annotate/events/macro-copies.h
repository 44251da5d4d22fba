/* SPDX-License-Identifier: MIT */
/*
 * Counts inline copies whose data is not in the commands: after LAUNCH_DMA a macro of the
 * front end (CALL_MME_MACRO) is called with the address of the data and fetches the data.
 * Driver 580.159.04 does this at the end of a copy from pageable memory, if only few bytes
 * remain after the last full piece of 1 MiB (corpus/calls/copies-pageable: 1,048,577
 * bytes).
 */
#ifndef KTAIL_ANNOTATE_MACRO_COPIES_H
#define KTAIL_ANNOTATE_MACRO_COPIES_H

#include <stdbool.h>
#include <stdint.h>

#include "decode/commands.h"

/* State after some methods of a submission. All zero: before the first method. */
struct kt_macro_copies {
	uint64_t length; /* bytes of a line */
	uint64_t lines;
	bool launched;  /* LAUNCH_DMA was seen, and no data since */
	uint64_t bytes; /* fetched by macros */
};

/* Adds a method. O(1). */
void kt_macro_copies_add(struct kt_macro_copies *copies, const struct kt_decoded *decoded);

#endif
