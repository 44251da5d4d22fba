/* SPDX-License-Identifier: MIT */
/*
 * Inline copies whose data are not in the commands: after LAUNCH_DMA a macro of the front
 * end (CALL_MME_MACRO) is called with the address of the data, and fetches them. Seen with
 * driver 580.159.04: the bytes after the last whole piece of a pageable copy, if they are
 * few (corpus/calls/copies-pageable: 1,048,577 bytes).
 */
#ifndef KTAIL_ANNOTATE_MACRO_COPIES_H
#define KTAIL_ANNOTATE_MACRO_COPIES_H

#include <stdbool.h>
#include <stdint.h>

#include "decode/commands.h"

/* What a submission has said so far. All zero: nothing. */
struct kt_macro_copies {
	uint64_t length; /* of a line */
	uint64_t lines;
	bool launched;  /* and no data have come */
	uint64_t bytes; /* that macros fetched */
};

/* Adds a method. O(1). */
void kt_macro_copies_add(struct kt_macro_copies *copies, const struct kt_decoded *decoded);

#endif
