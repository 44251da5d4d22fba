/* SPDX-License-Identifier: MIT */
/*
 * Copies of each channel's ring and GP_PUT, kept up to date by the stores that the recorder
 * observes. With the copies, a doorbell needs fewer loads from device memory, each of which
 * takes about a microsecond.
 *
 * Each dword of a copy is known or unknown. An observed store of a known value makes it
 * known; a store of an unknown value, or to only a part of the dword, makes it unknown. A
 * dword is also unknown while its page is open for writing, since stores may then go
 * unobserved: in a window, for a system call, for a single step of any thread, or because
 * the kernel refused to close the page. Unknown dwords are read across the bus.
 *
 * A ring or a GP_PUT is copied only if its page is closed for writing and has an alias, and
 * only one mapping shows that memory. If memory of two channels overlaps, only that of the
 * channel added first is copied. Stores by another process, by the device itself, or
 * through another handle of the same memory are not observed.
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
 * Records a store to [address, address + size) of the mapping. Call just before or just
 * after the store, and hold the lock during both, so that KT_RINGS_CHECK never compares the
 * old contents of the memory with the new value. If `known` (1 to 8 bytes), `value` is the
 * stored value, lowest byte first. Returns whether the store hit a followed ring or GP_PUT.
 * Two compares if no followed address is near, else O(log channels).
 */
bool kt_ring_stored(const struct kt_mapping *m, uintptr_t address, size_t size, bool known,
		    uint64_t value);

/*
 * Writes the copy's GP_PUT to *value; returns false if GP_PUT is unknown. `copy` may be
 * NULL.
 */
bool kt_ring_put(const struct kt_ring_copy *copy, uint32_t *value);

/*
 * Records that GP_PUT was read as `value`. GP_PUT is known from now on, unless stores to it
 * may go unobserved. `copy` may be NULL.
 */
void kt_ring_learn_put(struct kt_ring_copy *copy, uint32_t value);

/*
 * Writes the two dwords of the ring entry to words[]; returns false unless both are known.
 * `copy` may be NULL.
 */
bool kt_ring_entry(const struct kt_ring_copy *copy, uint32_t index,
		   uint32_t words[static 2]);

/*
 * The functions below read GP_PUTs and ring entries according to kt_rings_mode: across the
 * bus, from the observed stores, or from both, which are then compared. They count the
 * source of each value.
 *
 * With KT_RINGS_STORES, each channel's KT_RING_SAMPLE-th GP_PUT and the entries before it
 * are a sample: they are read, and compared as with KT_RINGS_CHECK. If a sample differs,
 * the program makes stores that the recorder cannot observe, so the channel's ring is read
 * from then on.
 */
#define KT_RING_SAMPLE 64

/*
 * Writes GP_PUT to *value if the mode is KT_RINGS_STORES, GP_PUT is known, and this is not
 * a sample. Otherwise returns false, and the caller must read GP_PUT from memory.
 */
bool kt_ring_take_put(struct kt_ring_copy *copy, uint32_t *value);

/*
 * Records that GP_PUT was read as `value`. Returns whether the copy's GP_PUT is known and
 * equal to `value`; always false with KT_RINGS_BUS.
 */
bool kt_ring_put_was_read(struct kt_ring_copy *copy, uint32_t value);

/*
 * Reads entries [index, index + n) of a channel's ring, which do not wrap, two dwords each.
 * Returns the number of leading entries that could be read. If the number is less than n,
 * *why is the reason, a static text.
 */
size_t kt_ring_read_entries(const struct kt_channel_work *work, uint32_t index, uint32_t n,
			    uint32_t *words, const char **why);

#endif
