/* SPDX-License-Identifier: MIT */
/*
 * Copies of each channel's ring and GP_PUT, kept up to date by the program's stores, dword
 * by dword. They save reads of device memory at a doorbell, which take about a microsecond
 * per load. A dword becomes known by an observed store of a known value. It becomes unknown
 * by a store with an unknown value or to a part of the dword, and while stores may go
 * unobserved because its page is open for writing: in a window, for a system call, for a
 * single step of any thread, or because the kernel refused to close it. Unknown dwords are
 * read across the bus.
 *
 * A copy exists only if the page of the ring, or of GP_PUT, is closed for writing and has
 * an alias, and only one mapping shows that memory. If two channels have the same address,
 * only the first has a copy. Stores through another handle of the same memory, by another
 * process and by the device itself are not observed.
 *
 * The caller holds the lock. Signal-safe unless noted.
 */
#ifndef KTAIL_COLLECT_RING_STORES_H
#define KTAIL_COLLECT_RING_STORES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collect/preload/mappings/channel.h"
#include "collect/preload/mappings/mappings.h"
#include "collect/preload/mappings/ring-ranges.h"

/*
 * Records a store to [address, address + size) of the mapping that was just made or is
 * about to be made. The lock is held throughout, because otherwise a check could read the
 * memory in between. `value` is the stored value, lowest byte first, if `known` (1 to 8
 * bytes). Returns whether the store hit a followed ring or GP_PUT. Two compares if no
 * followed address is near, else O(log channels).
 */
bool kt_ring_stored(const struct kt_mapping *m, uintptr_t address, size_t size, bool known,
		    uint64_t value);

/* Writes GP_PUT to *value; returns false if it is unknown. `copy` may be NULL. */
bool kt_ring_put(const struct kt_ring_copy *copy, uint32_t *value);

/*
 * Records a value read from GP_PUT; it is known from now on if every store is observed.
 * `copy` may be NULL.
 */
void kt_ring_learn_put(struct kt_ring_copy *copy, uint32_t value);

/*
 * Writes the ring entry to words[]; returns false unless all of it is known. `copy` may be
 * NULL.
 */
bool kt_ring_entry(const struct kt_ring_copy *copy, uint32_t index,
		   uint32_t words[static 2]);

/*
 * The functions below read GP_PUTs and ring entries as kt_rings_mode says: across the bus,
 * from the observed stores, or both, compared. They count the source of each value.
 *
 * Writes GP_PUT to *value from stores alone; returns false if it must be read from memory.
 */
bool kt_ring_take_put(const struct kt_ring_copy *copy, uint32_t *value);

/* Records the value that was read. Returns whether it equals the last observed store. */
bool kt_ring_put_was_read(struct kt_ring_copy *copy, uint32_t value);

/*
 * Reads entries [index, index + n) of a channel's ring, which do not wrap, two dwords each.
 * Returns the number of leading entries that could be read; if fewer than n, *why is the
 * reason, a static text.
 */
size_t kt_ring_read_entries(const struct kt_channel_work *work, uint32_t index, uint32_t n,
			    uint32_t *words, const char **why);

#endif
