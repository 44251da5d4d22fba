/* SPDX-License-Identifier: MIT */
/*
 * Reads and writes of device mappings, by page protection: pages are closed, the first
 * access of a run faults, is reported and opens a window, the next event elsewhere closes
 * it again. The lock is held for all of these but kt_access_fault().
 */
#ifndef KTAIL_COLLECT_ACCESS_H
#define KTAIL_COLLECT_ACCESS_H

#include <stdbool.h>
#include <stdint.h>
#include <ucontext.h>

#include "collect/mappings.h"

/* Whether accesses are traced at all; set once before any mapping is. */
extern bool kt_access_enabled;

/* Begins to watch a mapping, if its kind can be watched. */
void kt_access_watch(struct kt_mapping *mapping);

/* Another letter of the process: the run that is open ends, all windows are closed. */
void kt_access_end_run(void);

/* A page fault. true: it was ours and the access can go on; false: it is the program's. */
bool kt_access_fault(uintptr_t address, bool write, const ucontext_t *context);

#endif
