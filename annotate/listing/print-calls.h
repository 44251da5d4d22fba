/* SPDX-License-Identifier: MIT */
/* Prints the ioctls of a trace as text or JSON lines, for ktail decode --ioctls. */
#ifndef KTAIL_ANNOTATE_PRINT_CALLS_H
#define KTAIL_ANNOTATE_PRINT_CALLS_H

#include <stdbool.h>
#include <stdio.h>

#include "annotate/events/calls.h"
#include "base/json-writer.h"

struct kt_call_form {
	bool json;
	bool stats; /* counts by request instead of a list */
};

/* Prints the ioctls that `part` selects. Errors and totals are those of kt_calls_read(). */
int kt_print_calls(FILE *out, struct kt_call_form form, const char *path,
		   const struct kt_trace_filter *part, struct kt_call_totals *totals);

/* Writes the members that describe a request into the current JSON object. */
void kt_print_call_what_json(struct kt_json_writer *w, const struct kt_call_what *what);

#endif
