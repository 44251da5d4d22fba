/* SPDX-License-Identifier: MIT */
/*
 * Runs: consecutive accesses to one mapping with no other letter between. What is reported
 * of an access that a fault or a patched store has shown. The lock is held for all of
 * these.
 */
#ifndef KTAIL_COLLECT_RUNS_H
#define KTAIL_COLLECT_RUNS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collect/preload/mappings/mappings.h"

enum kt_access_mode { KT_ACCESS_OFF, KT_ACCESS_COALESCED, KT_ACCESS_EXACT };

/* How accesses are traced; set once before any mapping is. */
extern enum kt_access_mode kt_access_mode;

/* How many accesses of a process `exact` reports one by one; then it reports runs. */
extern uint64_t kt_access_limit;

/* The run that is open. */
struct kt_run {
	uint32_t mapping; /* ordinal, 0: no run */
	bool written;
	unsigned emulated; /* accesses of it */
	size_t grow;       /* bytes that the next window opens */
};

extern struct kt_run kt_run;

/* Another letter of the process: the run that is open ends, all windows are closed. */
void kt_access_end_run(void);

/*
 * An access happens, or has just happened: the run goes on, or another one begins. `size`
 * is 0 where it is not known.
 */
void kt_run_note(const struct kt_mapping *mapping, uintptr_t address, size_t size,
		 bool write, uintptr_t ip);

/* Whether accesses are reported one by one. */
bool kt_run_is_exact(void);

/* In a forked child: it counts its own accesses. */
void kt_run_after_fork(void);

#endif
