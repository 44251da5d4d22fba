/* SPDX-License-Identifier: MIT */
/*
 * Reports: blocks of 16 bytes in system memory, to which the device writes a payload and
 * the time when it releases a semaphore with a timestamp. Events of accesses have no
 * values, and polls in an open window are not seen, so the recorder reads a block again
 * when the program, having read it, reads another block or ends its run of accesses. The
 * caller holds the lock. Signal-safe.
 */
#ifndef KTAIL_COLLECT_REPORTS_H
#define KTAIL_COLLECT_REPORTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collect/preload/mappings/mappings.h"

#define KT_REPORT_BYTES 16u

/* Returns the block that the program read last; 0 if it cannot hold a report. */
uintptr_t kt_report_block(void);

/* Returns whether one of the last reports was in the range. O(reports remembered). */
bool kt_report_was_in(uintptr_t start, size_t length);

/*
 * Notes that the program reads at an address of the mapping. If the program read another
 * block before, the recorder reads that block again.
 */
void kt_report_note(const struct kt_mapping *mapping, uintptr_t address);

/*
 * Reads the block that the program read last, and the last block that was a report. For
 * each of the two blocks, emits an event if the block is a report and has changed. Never
 * waits; at most four loads, all from system memory. O(log n) for n mappings.
 */
void kt_report_read(void);

/* Call in a forked child, before its first event. */
void kt_report_after_fork(void);

#endif
