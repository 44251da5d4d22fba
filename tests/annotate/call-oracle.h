/* SPDX-License-Identifier: MIT */
/*
 * Finds the open calls of the API directly from their definition. This is slow; the only
 * state kept from event to event is which exit returns from which call.
 */
#ifndef KTAIL_TESTS_CALL_ORACLE_H
#define KTAIL_TESTS_CALL_ORACLE_H

#include <stddef.h>
#include <stdint.h>

enum oracle_kind { ORACLE_OTHER = 0, ORACLE_ENTER, ORACLE_EXIT, ORACLE_END };

struct oracle_event {
	uint64_t seq;
	uint32_t tid;
	enum oracle_kind kind;
	uint64_t correlation;
	/* index of the api_enter of an exit, or NO_CALL; set by oracle_match() */
	size_t returned;
};

#define NO_CALL SIZE_MAX

/*
 * Matches each exit of one process instance, events[0..n) by seq, to its api_enter.
 * O(n^3).
 */
void oracle_match(struct oracle_event *events, size_t n);

/*
 * Returns the index of the api_enter of the innermost call that events[x] is in, NO_CALL if
 * there is none. O(n^2).
 */
size_t oracle_innermost(const struct oracle_event *events, size_t x);

#endif
