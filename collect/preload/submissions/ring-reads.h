/* SPDX-License-Identifier: MIT */
/*
 * GP_PUTs and ring entries as the mode of rings asks for: across the bus, from the stores
 * that have written them (collect/preload/submissions/ring-stores.h), or both, compared.
 * What was taken from where is counted. The lock is held for all of these. Signal-safe.
 */
#ifndef KTAIL_COLLECT_RING_READS_H
#define KTAIL_COLLECT_RING_READS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collect/preload/mappings/channel.h"
#include "collect/preload/submissions/ring-stores.h"

/* GP_PUT from the stores alone. false: it is to be read. */
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
