/* SPDX-License-Identifier: MIT */
/*
 * Reads and writes of device mappings: their pages are closed, an access faults, is
 * reported and done through a second mapping of the same memory. Long runs and what cannot
 * be emulated open a window in the pages, which the next event elsewhere closes. The lock
 * is held for all of these but kt_access_fault(), kt_access_hold() and
 * kt_access_release(), which take it.
 */
#ifndef KTAIL_COLLECT_ACCESS_H
#define KTAIL_COLLECT_ACCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <ucontext.h>

#include "collect/mappings.h"

enum kt_access_mode { KT_ACCESS_OFF, KT_ACCESS_COALESCED, KT_ACCESS_EXACT };

/* How accesses are traced; set once before any mapping is. */
extern enum kt_access_mode kt_access_mode;

/* How many accesses of a process `exact` reports one by one; then it reports runs. */
extern uint64_t kt_access_limit;

/* Begins to watch a mapping, if its kind can be watched. */
void kt_access_watch(struct kt_mapping *mapping);

/* Another letter of the process: the run that is open ends, all windows are closed. */
void kt_access_end_run(void);

/*
 * The protection of [start, start + length) was changed by the application and is `now`:
 * remembered for the mappings there, whose watched pages are closed again. O(n).
 */
void kt_access_protected(uintptr_t start, size_t length, int now);

/*
 * A system call is about to touch [start, start + length), in which the kernel would find
 * closed pages (EFAULT): opens the watched mappings there until the release. What the
 * kernel touches is no access of the program. false: nothing of ours lies there, no
 * release is due. Nests.
 */
bool kt_access_hold(uintptr_t start, size_t length);
void kt_access_release(uintptr_t start, size_t length);

/* A page fault. true: it was ours and the thread can go on; false: it is the program's. */
bool kt_access_fault(uintptr_t address, bool write, ucontext_t *context);

#endif
