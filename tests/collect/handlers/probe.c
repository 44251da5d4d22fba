/* SPDX-License-Identifier: MIT */
/*
 * Part of the recorder's test variant: tells tests/collect/handlers/traps.c when a thread
 * is inside the recorder's signal handlers. The linker puts these functions around the ones
 * that do the handlers' work (--wrap).
 */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>

#include "collect/access.h"
#include "collect/doorbell.h"
#include "tests/collect/handlers/probe.h"

_Thread_local int kt_handler_depth;
unsigned long kt_handler_entries;

bool __real_kt_access_fault(uintptr_t address, bool write, ucontext_t *context);
bool __real_kt_doorbell_trap(const siginfo_t *info, const ucontext_t *context);

static int wants_break = -1; /* KTAIL_PROBE_BREAK: to see that a trap is a trap */

__attribute__((constructor)) static void read_wish(void)
{
	wants_break = getenv("KTAIL_PROBE_BREAK") != NULL;
}

static void enter(void)
{
	kt_handler_depth++;
	__atomic_fetch_add(&kt_handler_entries, 1, __ATOMIC_RELAXED);
	if (wants_break > 0) {
		void *volatile forbidden = malloc(16);

		free(forbidden);
	}
}

bool __wrap_kt_access_fault(uintptr_t address, bool write, ucontext_t *context)
{
	bool ours;

	enter();
	ours = __real_kt_access_fault(address, write, context);
	kt_handler_depth--;
	return ours;
}

bool __wrap_kt_doorbell_trap(const siginfo_t *info, const ucontext_t *context)
{
	bool ours;

	enter();
	ours = __real_kt_doorbell_trap(info, context);
	kt_handler_depth--;
	return ours;
}
