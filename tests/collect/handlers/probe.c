/* SPDX-License-Identifier: MIT */
/*
 * Part of the recorder's test variant: reports to tests/collect/handlers/traps.c whether a
 * thread is inside the recorder's signal handlers.
 */
#define _GNU_SOURCE
#include "tests/collect/handlers/probe.h"

#include <stdlib.h>

#include "collect/preload/process/handler-probe.h"

_Thread_local int kt_handler_depth;
unsigned long kt_handler_entries;

static int wants_break; /* KTAIL_PROBE_BREAK: a handler allocates, to test the traps */

__attribute__((constructor)) static void read_wish(void)
{
	wants_break = getenv("KTAIL_PROBE_BREAK") != NULL;
}

void kt_handler_enter(void)
{
	kt_handler_depth++;
	__atomic_fetch_add(&kt_handler_entries, 1, __ATOMIC_RELAXED);
	if (wants_break) {
		void *volatile forbidden = malloc(16);

		free(forbidden);
	}
}

void kt_handler_leave(void)
{
	kt_handler_depth--;
}
