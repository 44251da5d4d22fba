/* SPDX-License-Identifier: MIT */
/*
 * What the program's stores have put into rings and GP_PUTs: a copy of each channel's, word
 * by word, so that a doorbell need not read device memory, which takes about a microsecond
 * a load. A word is known from the moment at which a store of its value was seen until one
 * may have gone unseen: pages that are open for writing (in a window, for a system call,
 * for a step of any thread, or because the kernel would not close them), a store of unknown
 * value, or of a part of the word. Words that are not known are to be read across the bus.
 *
 * A copy is kept where the place of the ring, or of GP_PUT, is closed for writing and has
 * an alias, and one mapping alone shows that memory; of two channels in one place the first
 * has it. Stores through another handle of the same memory, of another process, and of the
 * device itself are not seen.
 *
 * The lock is held for all functions here. Signal-safe, unless said otherwise.
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
 * A store to [address, address + size) of the mapping was made, or is about to be made,
 * and the lock is held from before it until now: else a check may see it first. `value` is
 * what was stored if it is `known`, its lowest byte first: of 1 to 8 bytes. true: it was to
 * a ring or GP_PUT that is followed. Two compares where no place is near, O(log channels)
 * else.
 */
bool kt_ring_stored(const struct kt_mapping *m, uintptr_t address, size_t size, bool known,
		    uint64_t value);

/* The value of GP_PUT, if it is known. `copy` may be NULL. */
bool kt_ring_put(const struct kt_ring_copy *copy, uint32_t *value);

/*
 * GP_PUT was read, and was this: known from now on, where no store can go unseen. `copy`
 * may be NULL.
 */
void kt_ring_learn_put(struct kt_ring_copy *copy, uint32_t value);

/* The ring's entry, if all of it is known. `copy` may be NULL. */
bool kt_ring_entry(const struct kt_ring_copy *copy, uint32_t index,
		   uint32_t words[static 2]);

/*
 * GP_PUTs and ring entries as the mode of rings asks for: across the bus, from the stores
 * that have written them, or both, compared. What was taken from where is counted.
 *
 * GP_PUT from the stores alone. false: it is to be read.
 */
bool kt_ring_take_put(const struct kt_ring_copy *copy, uint32_t *value);

/* It was read, and is this. true: that is what was stored there last. */
bool kt_ring_put_was_read(struct kt_ring_copy *copy, uint32_t value);

/*
 * Entries [index, index + n) of a channel's ring, which do not wrap: two words each. How
 * many there are, from the first on; where it is fewer, *why says the reason, a static
 * text.
 */
size_t kt_ring_read_entries(const struct kt_channel_work *work, uint32_t index, uint32_t n,
			    uint32_t *words, const char **why);

#endif
