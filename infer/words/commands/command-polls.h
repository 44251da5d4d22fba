/* SPDX-License-Identifier: MIT */
/*
 * Finds reads with which the program polls for the completion of a submission. A poll is
 * the first read, after a channel's latest submission, of the 16 bytes of a semaphore that
 * the channel's submissions release. The GPU's address of a semaphore is assumed to equal
 * the program's, which holds for memory that the driver maps.
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
		uint64_t address; /* of the program; 0 with length 0: unknown */
		uint64_t length;
	} * mappings; /* Owned by this: by mapping number */
	size_t n_mappings;
	size_t mappings_capacity;
	struct kt_poll_semaphore {
		uint64_t slot;    /* address / 16 */
		uint32_t channel; /* ordinal of the channel that releases it */
	} * semaphores;
	size_t n;
	size_t capacity;
	struct kt_hash_index by_slot;
	/* Owned by this: by channel, whether it has submitted and was not polled since */
	bool *waiting;
	size_t n_waiting;
	size_t waiting_capacity;
};

int kt_polls_map(struct kt_polls *polls, uint32_t mapping, uint64_t address,
		 uint64_t length);
/*
 * Notes that a channel's submission releases the semaphore at `address`. If several
 * channels release it, the latest one counts.
 */
int kt_polls_release(struct kt_polls *polls, uint32_t channel, uint64_t address);
int kt_polls_submit(struct kt_polls *polls, uint32_t channel);
/*
 * To be called after missing events, which may contain a submission of any channel: the
 * next read of each channel is a poll.
 */
void kt_polls_gap(struct kt_polls *polls);
/*
 * Returns whether a read is a poll; *channel is then the ordinal of the channel polled,
 * which must submit again before a read of it is a poll. Expected O(1).
 */
bool kt_polls_read(struct kt_polls *polls, uint32_t mapping, uint64_t offset,
		   uint32_t *channel);
void kt_polls_free(struct kt_polls *polls);

#endif
