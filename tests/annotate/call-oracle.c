/* SPDX-License-Identifier: MIT */
#include "tests/annotate/call-oracle.h"

#include <stdbool.h>

/*
 * Returns whether an exit before events[x] returns from `call` or from a call that
 * encloses it.
 */
static bool is_closed(const struct oracle_event *events, size_t call, size_t x)
{
	for (size_t i = call + 1; i < x; i++) {
		if (events[i].kind == ORACLE_EXIT && events[i].tid == events[call].tid &&
		    events[i].returned != NO_CALL && events[i].returned <= call) {
			return true;
		}
	}
	return false;
}

static bool is_cut_off(const struct oracle_event *events, size_t call, size_t x)
{
	for (size_t i = call; i < x; i++) {
		if (events[i + 1].seq > events[i].seq + 1 || events[i].kind == ORACLE_END) {
			return true;
		}
	}
	return false;
}

static bool is_open(const struct oracle_event *events, size_t call, size_t x)
{
	return events[call].kind == ORACLE_ENTER && events[call].tid == events[x].tid &&
	       !is_cut_off(events, call, x) && !is_closed(events, call, x);
}

void oracle_match(struct oracle_event *events, size_t n)
{
	for (size_t x = 0; x < n; x++) {
		events[x].returned = NO_CALL;
		for (size_t i = 0; i < x && events[x].kind == ORACLE_EXIT; i++) {
			if (events[i].correlation == events[x].correlation &&
			    is_open(events, i, x)) {
				events[x].returned = i;
			}
		}
	}
}

size_t oracle_innermost(const struct oracle_event *events, size_t x)
{
	size_t innermost = NO_CALL;

	if (events[x].kind == ORACLE_EXIT && events[x].returned != NO_CALL) {
		return events[x].returned;
	}
	for (size_t i = 0; i <= x; i++) {
		if (is_open(events, i, x)) {
			innermost = i;
		}
	}
	return innermost;
}
