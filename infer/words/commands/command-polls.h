/* SPDX-License-Identifier: MIT */
/*
 * Finds reads with which the program polls for the completion of a submission. A poll is
 * the first read, after a channel's latest submission, of the 16 bytes of a semaphore that
 * the channel's submissions release. A semaphore is assumed to have the same address for
 * the GPU as for the program, which is true of memory that the driver maps.
 */
#ifndef KTAIL_WORDS_COMMAND_POLLS_H
#define KTAIL_WORDS_COMMAND_POLLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/hash-index.h"

/* If all members are zero, there are no mappings. */
struct kt_polls {
	struct kt_poll_mapping {
		uint64_t address; /* in the program's address space; 0 with length 0:
				   * unknown */
		uint64_t length;
	} * mappings; /* Owned by this: by mapping number */
	size_t n_mappings;
	size_t mappings_capacity;
	struct kt_poll_semaphore {
		uint64_t slot;    /* address / 16 */
		uint32_t channel; /* ordinal of the channel that released it last */
	} * semaphores;
	size_t n;
	size_t capacity;
	struct kt_hash_index by_slot;
	/*
	 * Owned by this: for each channel, by ordinal, whether it was not polled since its
	 * latest submission
	 */
	bool *waiting;
	size_t n_waiting;
	size_t waiting_capacity;
};

int kt_polls_map(struct kt_polls *polls, uint32_t mapping, uint64_t address,
		 uint64_t length);
/*
 * Notes that a channel's submission releases the semaphore at `address`. If several
 * channels release a semaphore, the latest of them counts.
 */
int kt_polls_release(struct kt_polls *polls, uint32_t channel, uint64_t address);
int kt_polls_submit(struct kt_polls *polls, uint32_t channel);
/*
 * To be called after missing events. The missing events may contain a submission of any
 * channel, so the next read of a semaphore of each channel counts as a poll.
 */
void kt_polls_gap(struct kt_polls *polls);
/*
 * Returns whether a read is a poll. If it is, *channel becomes the ordinal of the polled
 * channel, which is not polled again until kt_polls_submit() or kt_polls_gap(). Expected
 * O(1).
 */
bool kt_polls_read(struct kt_polls *polls, uint32_t mapping, uint64_t offset,
		   uint32_t *channel);
void kt_polls_free(struct kt_polls *polls);

#endif
