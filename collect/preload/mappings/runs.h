/* SPDX-License-Identifier: MIT */
/*
 * Runs: consecutive accesses to one mapping, with the same role (roles.h) and without
 * another letter in between. Reports accesses observed by a fault or a patched store. The
 * caller holds the lock.
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
 * Number of accesses of a process that KT_ACCESS_EXACT reports one by one; after these,
 * runs are reported.
 */
extern uint64_t kt_access_limit;

/* The open run. */
struct kt_run {
	uint32_t mapping;           /* ordinal; 0: no run */
	struct kt_role_range range; /* around the last access */
	uint64_t role_changes;      /* kt_roles_changes() when the range was found */
	bool written;
	unsigned emulated; /* number of emulated accesses in the run */
	unsigned patched;  /* number of patched accesses in the run that took the lock */
	size_t grow;       /* size of the next window, in bytes */
};

extern struct kt_run kt_run;

/*
 * Ends the open run, closes all windows and reads the last report (reports.h). Call before
 * an event is emitted that is not an access.
 */
void kt_access_end_run(void);

/*
 * Notes an access that happens, or has just happened: continues the run or begins another
 * one. `size` is 0 if unknown; `ip` is in the original code, not in a trampoline.
 */
void kt_run_note(const struct kt_mapping *mapping, uintptr_t address, size_t size,
		 bool write, uintptr_t ip);

/*
 * Lets further accesses to the mapping, near the access at `address` that was just noted,
 * continue the run without the lock (continuing.h), where they can. Call last before the
 * lock is released, after kt_run_note(). A mapping that is NULL is permitted.
 */
void kt_run_let_continue(const struct kt_mapping *mapping, uintptr_t address);

/* Returns whether all memory in the range has the role of the run's last access. */
bool kt_run_has_one_role(uintptr_t start, size_t length);

/* Returns whether accesses are reported one by one. */
bool kt_run_is_exact(void);

/* Call in a forked child, which counts its own accesses. */
void kt_run_after_fork(void);

#endif
