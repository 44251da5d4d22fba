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
 * The lock is held for all of these. Signal-safe, unless said otherwise.
 */
#ifndef KTAIL_COLLECT_RING_STORES_H
#define KTAIL_COLLECT_RING_STORES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collect/channels.h"
#include "collect/mappings.h"

/* A ring of more entries is not followed. */
#define KT_RING_ENTRIES_MAX (1u << 20)

/* What is known of one channel's ring and GP_PUT. */
struct kt_ring_copy;

/*
 * Begins to follow a channel; nothing of it is known yet, nor is its place before the next
 * kt_rings_settle(). NULL: out of memory, or rings are read across the bus alone. It
 * belongs to the caller, who gives it to kt_ring_unfollow(). Neither is for signal
 * handlers.
 */
struct kt_ring_copy *kt_ring_follow(const struct kt_channel_alloc *alloc);
void kt_ring_unfollow(struct kt_ring_copy *copy); /* NULL is allowed */

/*
 * To be called when channels, mappings or GPU addresses may have changed, and before the
 * lock is given back; until then nothing is known. Finds the places anew; what is known in
 * those that are where they were stays. true: some place has come, gone or moved: pages
 * are to be opened and closed (kt_access_watch_rings()). Not for signal handlers.
 * O(channels * mappings) after a change, else two compares.
 */
bool kt_rings_settle(void);

/*
 * The next pages from *lo on, and below `hi`, that hold a place: [*lo, *end). false: none.
 */
bool kt_ring_next_pages(uintptr_t *lo, uintptr_t hi, uintptr_t *end);

/*
 * A store to [address, address + size) of the mapping was made, or is about to be made,
 * and the lock is held from before it until now: else a check (collect/ring-reads.h) may
 * see it first. `value` is what was stored if it is `known`, its lowest byte first: of 1 to
 * 8 bytes. true: it was to a ring or GP_PUT that is followed. Two compares where no place
 * is near, O(log channels) else.
 */
bool kt_ring_stored(const struct kt_mapping *m, uintptr_t address, size_t size, bool known,
		    uint64_t value);

/* Stores to [start, start + length) may have gone unseen, or may do so from now on. */
void kt_ring_unseen(uintptr_t start, size_t length);

/* All of memory: a child has been made that shares it. */
void kt_ring_all_unseen(void);

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

#endif
