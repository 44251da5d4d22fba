/* SPDX-License-Identifier: MIT */
/*
 * Which call of the API each letter of a trace was in: the innermost one that was open on
 * its thread. Nothing is kept of a trace without calls; else 24 bytes for each event of a
 * call, and where letters have details 8 for each letter.
 */
#ifndef KTAIL_WORDS_LETTER_CALLS_H
#define KTAIL_WORDS_LETTER_CALLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/texts.h"
#include "infer/words/split/collect.h"

/* An event api_enter or api_exit. */
struct kt_call_event {
	uint64_t correlation;
	bool enter;
	uint32_t name;      /* of an api_enter, in `names` */
	uint32_t outermost; /* likewise: number of the call on the bottom of its stack */
	uint32_t detail;    /* of its own letter; 0: none */
};

/* What a letter bears, where letters have details. */
struct kt_letter_beside {
	uint32_t detail;
	uint32_t call; /* number of its api_enter, from 1; 0: none */
};

/* All zero but `details`: no event has come. */
struct kt_letter_calls {
	bool details;
	struct kt_texts names;
	struct kt_call_event *events; /* Owned by this: by number, from 1 */
	size_t n;
	size_t capacity;
	struct kt_letter_beside *besides; /* Owned by this: by number, from 1 */
	size_t n_besides;
	size_t besides_capacity;
};

/*
 * Keeps an event of a call: its record's kind becomes KT_EVENT_CALL, and its detail is kept
 * for its letter. KT_E_MEMORY with a message.
 */
int kt_letter_calls_add(struct kt_letter_calls *calls, bool enter, uint64_t correlation,
			const char *name, struct kt_record *record);

/*
 * Puts the call beside each letter of a process, in order as the collector has them: a
 * kt_follow_fn. O(n).
 */
int kt_letter_calls_follow(void *calls, struct kt_record *records, size_t n);

/* The detail, and the call, that a letter's `detail` stands for after that; NULL: none. */
uint32_t kt_letter_calls_detail(const struct kt_letter_calls *calls, uint32_t detail);
const struct kt_call_event *kt_letter_calls_call(const struct kt_letter_calls *calls,
						 uint32_t detail);

/* The api_enter of that number. */
const struct kt_call_event *kt_letter_calls_event(const struct kt_letter_calls *calls,
						  uint32_t number);

void kt_letter_calls_free(struct kt_letter_calls *calls);

#endif
