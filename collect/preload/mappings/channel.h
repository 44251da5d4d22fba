/* SPDX-License-Identifier: MIT */
#ifndef KTAIL_COLLECT_CHANNEL_H
#define KTAIL_COLLECT_CHANNEL_H

#include <stdbool.h>
#include <stdint.h>

/* A channel as described by the ioctl that allocates it. */
struct kt_channel_alloc {
	uint32_t client;
	uint32_t object;
	uint32_t userd_memory; /* handle of the memory that holds USERD */
	uint64_t userd_offset;
	uint32_t class_;
	uint64_t ring;    /* GPU address of the ring */
	uint32_t entries; /* number of ring entries; 0: unknown */
};

struct kt_ring_copy;

/*
 * Ring entries [from, to) that are new since the channel's ring was last walked. If `to` is
 * less than `from`, they wrap around the ring's end.
 */
struct kt_channel_work {
	const struct kt_channel_alloc *alloc; /* Weak */
	uint32_t from;
	uint32_t to; /* GP_PUT as read, not checked */
	/*
	 * True if it is unknown which doorbell submitted the entries: either GP_PUT could
	 * not be read when a doorbell was written, or GP_PUT was read at another time and
	 * had moved.
	 */
	bool found;
	/* Upper part of the segments' addresses, as set by the entries walked so far. */
	uint64_t *extended_base;
	struct kt_ring_copy *copy; /* Weak; see collect/preload/submissions/ring-stores.h */
};

#endif
