/* SPDX-License-Identifier: MIT */
/* What patched stores do (collect/preload/access/patch-entry.h). The lock is held. */
#ifndef KTAIL_COLLECT_STORES_H
#define KTAIL_COLLECT_STORES_H

#include <stdbool.h>
#include <stdint.h>

/*
 * A patched store of `width` bytes (collect/preload/access/patch.h): makes it through the
 * second mapping and reports it. false: nothing was done, it is not to watched memory.
 * *wanted: it was what stores are patched for, a doorbell, a GP_PUT or an entry of a ring.
 */
bool kt_access_store(uintptr_t address, unsigned width, uint64_t value, uintptr_t ip,
		     bool *wanted);

#endif
