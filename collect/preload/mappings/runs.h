/* SPDX-License-Identifier: MIT */
/*
 * Runs: consecutive accesses to one mapping, or one of its roles (roles.h), with no other
 * letter between. Reports accesses that a fault or a patched store has shown. The caller
 * holds the lock.
 */
#ifndef KTAIL_COLLECT_RUNS_H
#define KTAIL_COLLECT_RUNS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collect/preload/mappings/mappings.h"
#include "collect/preload/mappings/roles.h"

enum kt_access_mode { KT_ACCESS_OFF, KT_ACCESS_COALESCED, KT_ACCESS_EXACT };

/* How accesses are traced; set once, before any mapping. */
extern enum kt_access_mode kt_access_mode;

/*
 * Number of accesses of a process that `exact` reports one by one; after that it reports
 * runs.
 */
extern uint64_t kt_access_limit;

/* The open run. */
struct kt_run {
	uint32_t mapping;           /* ordinal; 0: no run */
	struct kt_role_range range; /* holds its last access */
	uint64_t role_changes;      /* kt_roles_changes() when the range was found */
	bool written;
	unsigned emulated; /* number of its emulated accesses */
	size_t grow;       /* bytes that the next window opens */
};

extern struct kt_run kt_run;

/*
 * Ends the open run and closes all windows, because another letter of the process occurs.
 */
void kt_access_end_run(void);

/*
 * Notes an access that happens, or has just happened: continues the run or begins another
 * one. `size` is 0 if unknown.
 */
void kt_run_note(const struct kt_mapping *mapping, uintptr_t address, size_t size,
		 bool write, uintptr_t ip);

/* Returns whether accesses are reported one by one. */
bool kt_run_is_exact(void);

/* In a forked child, which counts its own accesses. */
void kt_run_after_fork(void);

#endif
