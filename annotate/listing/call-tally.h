/* SPDX-License-Identifier: MIT */
/* Counts ioctls by request. */
#ifndef KTAIL_ANNOTATE_CALL_TALLY_H
#define KTAIL_ANNOTATE_CALL_TALLY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "annotate/events/calls.h"

/* Counts of the ioctls with the same request. */
struct kt_call_row {
	struct kt_call_what what;
	uint64_t calls;
	uint64_t failed;
	uint64_t duration; /* sum, ns */
};

/* A tally that is all zero is empty. Free it with kt_call_tally_free(). */
struct kt_call_tally {
	struct kt_call_row *rows; /* Owned by this; in the order of kt_call_compare() */
	size_t n;
	size_t capacity;
};

/* Counts an ioctl. KT_E_MEMORY with a message. O(log rows), or O(rows) if it adds a row. */
int kt_call_tally_add(struct kt_call_tally *tally, const struct kt_call *call);

/*
 * Prints a table or JSON lines, the most frequent request first. Reorders the rows, so nothing
 * can be added afterwards.
 */
void kt_call_tally_print(struct kt_call_tally *tally, FILE *out, bool json);

void kt_call_tally_free(struct kt_call_tally *tally);

#endif
