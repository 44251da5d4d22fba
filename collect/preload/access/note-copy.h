/* SPDX-License-Identifier: MIT */
/* Reports a copy from or to watched memory as one access. The caller holds the lock. */
#ifndef KTAIL_COLLECT_NOTE_COPY_H
#define KTAIL_COLLECT_NOTE_COPY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Notes that a function copies to or from [address, address + size), called by the code at
 * `ip`. Returns the address of the same memory in the second mapping, through which the
 * function is to access it; NULL, and notes nothing, if its accesses are to be noted one by
 * one. Signal-safe.
 */
void *kt_copy_note(uintptr_t address, size_t size, bool write, uintptr_t ip);

#endif
