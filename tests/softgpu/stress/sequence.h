/* SPDX-License-Identifier: MIT */
/*
 * The order in which a thread of the stress program submits to its channels. It is
 * pseudo-random but the same in each run, so that a reader of a recording can detect a
 * doorbell that is missing, repeated or out of order.
 */
#ifndef KTAIL_TESTS_STRESS_SEQUENCE_H
#define KTAIL_TESTS_STRESS_SEQUENCE_H

#include <stdbool.h>
#include <stdint.h>

enum {
	KT_STRESS_THREADS = 8,
	KT_STRESS_CHANNELS = 16,
};

struct kt_stress_sequence {
	uint32_t state;
	unsigned first; /* number of the thread's first channel */
	unsigned n;
};

/* A thread has two channels of its own, or shares four channels with another thread. */
static inline void kt_stress_start(struct kt_stress_sequence *sequence, unsigned thread,
				   bool shared)
{
	sequence->state = 0x9e3779b9u * (thread + 1);
	sequence->first = shared ? thread / 2 * 4 : thread * 2;
	sequence->n = shared ? 4 : 2;
}

/* Returns the number of the next channel (Marsaglia's xorshift). */
static inline unsigned kt_stress_next(struct kt_stress_sequence *sequence)
{
	sequence->state ^= sequence->state << 13;
	sequence->state ^= sequence->state >> 17;
	sequence->state ^= sequence->state << 5;
	return sequence->first + (sequence->state >> 16) % sequence->n;
}

#endif
