/* SPDX-License-Identifier: MIT */
/* Counts of ioctls by what they asked for. */
#ifndef KTAIL_ANNOTATE_CALL_TALLY_H
#define KTAIL_ANNOTATE_CALL_TALLY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "annotate/events/calls.h"

/* Ioctls that asked for the same. */
struct kt_call_row {
	struct kt_call_what what;
	uint64_t calls;
	uint64_t failed;
	uint64_t duration; /* ns, of all together */
};

/* All zero: nothing counted. */
struct kt_call_tally {
	struct kt_call_row *rows; /* Owned by this; in kt_call_compare()'s order */
	size_t n;
	size_t capacity;
};

/* KT_E_MEMORY with a message. O(log rows), O(rows) for a new one. */
int kt_call_tally_add(struct kt_call_tally *tally, const struct kt_call *call);

/* As a table, or as JSON lines: the most frequent first. Changes the rows' order. */
void kt_call_tally_print(struct kt_call_tally *tally, FILE *out, bool json);

void kt_call_tally_free(struct kt_call_tally *tally);

#endif
