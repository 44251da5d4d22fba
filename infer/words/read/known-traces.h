/* SPDX-License-Identifier: MIT */
/* The traces that are read as one, by number: a pid means one process within one of them.
 */
#ifndef KTAIL_WORDS_KNOWN_TRACES_H
#define KTAIL_WORDS_KNOWN_TRACES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <babeltrace2/babeltrace.h>

/* A trace, or a part of one: those of a session that was rotated share a UUID. */
struct kt_known_trace {
	const bt_trace *trace; /* Owned by this: a reference keeps its address */
	uint32_t number;       /* that of the first one with its UUID */
	uint32_t host;         /* from 1, by name; 0: it has none */
};

/* All zero: none yet. */
struct kt_known_traces {
	struct kt_known_trace *traces;
	size_t n;
	size_t capacity;
};

/*
 * What is known of a trace, which is added if it is new; *out is valid until the next call.
 * *guess is where it was found last time.
 */
int kt_known_traces_find(struct kt_known_traces *known, const struct kt_known_trace **out,
			 size_t *guess, const bt_trace *trace);

void kt_known_traces_free(struct kt_known_traces *known);

#endif
