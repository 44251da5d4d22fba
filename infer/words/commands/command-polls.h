/* SPDX-License-Identifier: MIT */
/*
 * Finds the reads that wait for a submission. A poll is the first read, after a channel's
 * latest submission, of the 16 bytes of a semaphore that the channel's submissions release.
 * GPU addresses are assumed to equal CPU addresses, which holds for what the driver maps.
 */
#ifndef KTAIL_WORDS_COMMAND_POLLS_H
#define KTAIL_WORDS_COMMAND_POLLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/hash-index.h"

/* All zero: no mappings. */
struct kt_polls {
	struct kt_poll_mapping {
		uint64_t address; /* 0: unknown */
		uint64_t length;
	} * mappings; /* by mapping number */
	size_t n_mappings;
	size_t mappings_capacity;
	struct kt_poll_semaphore {
		uint64_t slot;    /* address / 16 */
		uint32_t channel; /* ordinal of the channel */
	} * semaphores;
	size_t n;
	size_t capacity;
	struct kt_hash_index by_slot;
	bool *waiting; /* by channel: has submitted and was not polled since */
	size_t n_waiting;
	size_t waiting_capacity;
};

int kt_polls_map(struct kt_polls *polls, uint32_t mapping, uint64_t address,
		 uint64_t length);
/*
 * Notes that a channel's submission releases the semaphore at `address`; a later channel
 * replaces an earlier one.
 */
int kt_polls_release(struct kt_polls *polls, uint32_t channel, uint64_t address);
int kt_polls_submit(struct kt_polls *polls, uint32_t channel);
/* Events are missing: any channel may have submitted. */
void kt_polls_gap(struct kt_polls *polls);
/* Whether a read is a poll; *channel is the channel polled. Expected O(1). */
bool kt_polls_read(struct kt_polls *polls, uint32_t mapping, uint64_t offset,
		   uint32_t *channel);
void kt_polls_free(struct kt_polls *polls);

#endif
