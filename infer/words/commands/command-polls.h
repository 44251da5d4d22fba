/* SPDX-License-Identifier: MIT */
/*
 * Which reads of a process wait for a submission: those of the 16 bytes of a semaphore that
 * a submission releases, the first since that channel submitted. GPU addresses are taken
 * for the CPU's, as they are for what the driver maps.
 */
#ifndef KTAIL_WORDS_COMMAND_POLLS_H
#define KTAIL_WORDS_COMMAND_POLLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/hash-index.h"

/* All zero: none. */
struct kt_polls {
	struct kt_poll_mapping {
		uint64_t address; /* 0: unknown */
		uint64_t length;
	} * mappings; /* by number */
	size_t n_mappings;
	size_t mappings_capacity;
	struct kt_poll_semaphore {
		uint64_t slot;    /* address / 16 */
		uint32_t channel; /* its ordinal */
	} * semaphores;
	size_t n;
	size_t capacity;
	struct kt_hash_index by_slot;
	bool *waiting; /* by channel: it has submitted and was not polled since */
	size_t n_waiting;
	size_t waiting_capacity;
};

int kt_polls_map(struct kt_polls *polls, uint32_t mapping, uint64_t address,
		 uint64_t length);
/* A channel's submission releases a semaphore; that of two channels is the later one's. */
int kt_polls_release(struct kt_polls *polls, uint32_t channel, uint64_t address);
int kt_polls_submit(struct kt_polls *polls, uint32_t channel);
/* Events are missing: any channel may have submitted. */
void kt_polls_gap(struct kt_polls *polls);
/* Whether a read is a poll, and of which channel. O(1), expected. */
bool kt_polls_read(struct kt_polls *polls, uint32_t mapping, uint64_t offset,
		   uint32_t *channel);
void kt_polls_free(struct kt_polls *polls);

#endif
