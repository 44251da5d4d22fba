/* SPDX-License-Identifier: MIT */
#include <err.h>
#include <sched.h>
#include <stdlib.h>
#include <time.h>

#include "decode/bits.h"
#include "decode/gpfifo.h"
#include "decode/method-names.h"
#include "decode/method-stream.h"
#include "tests/softgpu/stress/bare-driver.h"

/* A device that makes no progress for this long counts as stuck. */
enum { PATIENCE = 120 /* seconds */ };

static time_t seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec;
}

/* Adds the semaphore's progress, modulo 2^32, to the full count, and checks for errors. */
static void poll(struct kt_bare_channel *channel)
{
	channel->done += (uint32_t)(*channel->semaphore - (uint32_t)channel->done);
	if (channel->done > channel->submitted) {
		errx(1, "channel 0x%x: %llu done of %llu", channel->token,
		     (unsigned long long)channel->done,
		     (unsigned long long)channel->submitted);
	}
	if (channel->notifier->status) {
		errx(1, "channel 0x%x: error %u", channel->token,
		     channel->notifier->number);
	}
}

/* Waits until at most `left` entries are pending. */
static void wait_until(struct kt_bare_channel *channel, uint64_t left)
{
	time_t since = seconds();
	uint64_t done = channel->done;

	for (;;) {
		poll(channel);
		if (channel->submitted - channel->done <= left) {
			return;
		}
		if (channel->done != done) {
			done = channel->done;
			since = seconds();
		} else if (seconds() - since > PATIENCE) {
			errx(1,
			     "channel 0x%x: stands at %llu of %llu, GP_GET %u, GP_PUT %u",
			     channel->token, (unsigned long long)done,
			     (unsigned long long)channel->submitted,
			     channel->userd[KT_USERD_GP_GET / 4],
			     channel->userd[KT_USERD_GP_PUT / 4]);
		}
		sched_yield();
	}
}

void kt_bare_wait(struct kt_bare_channel *channel)
{
	wait_until(channel, 0);
}

/*
 * Writes the methods SEM_ADDR_LO to SEM_EXECUTE, which are consecutive. Returns the number
 * of dwords.
 */
static unsigned put_semaphore(uint32_t *words, uint64_t address, uint32_t payload,
			      uint32_t operation)
{
	struct kt_method_header header = {
		.op = KT_METHOD_INCREASING,
		.count = 5,
		.offset = KT_C86F_SEM_ADDR_LO,
	};

	words[0] = kt_method_header_encode(&header);
	words[1] = (uint32_t)address;
	words[2] = (uint32_t)(address >> 32);
	words[3] = payload;
	words[4] = 0;
	words[5] = kt_bits(KT_C86F_SEM_EXECUTE__OPERATION, operation);
	return 6;
}

static unsigned put_commands(struct kt_bare_channel *channel, volatile uint32_t *slot)
{
	uint32_t words[KT_BARE_SLOT_WORDS];
	uint64_t semaphore = (uintptr_t)channel->semaphore;
	uint32_t number = (uint32_t)channel->submitted;
	unsigned n = put_semaphore(words, semaphore, number,
				   KT_C86F_SEM_EXECUTE__OPERATION__ACQUIRE);

	n += put_semaphore(words + n, semaphore, number + 1,
			   KT_C86F_SEM_EXECUTE__OPERATION__RELEASE);
	for (unsigned i = 0; i < n; i++) {
		slot[i] = words[i];
	}
	return n;
}

void kt_bare_submit(struct kt_bare_driver *driver, struct kt_bare_channel *channel)
{
	unsigned at = channel->submitted % KT_BARE_ENTRIES;
	volatile uint32_t *slot = channel->pushbuffer + at * KT_BARE_SLOT_WORDS;
	struct kt_gpfifo_entry entry = {.address = (uintptr_t)slot};
	uint32_t words[2];

	/* One entry stays free, because a full ring would look empty. */
	if (channel->submitted - channel->done == KT_BARE_ENTRIES - 1) {
		wait_until(channel, KT_BARE_ENTRIES - 2);
	}
	entry.words = put_commands(channel, slot);
	kt_gpfifo_encode(words, &entry);
	channel->ring[at * 2] = words[0];
	channel->ring[at * 2 + 1] = words[1];
	channel->submitted++;
	/* The entry must be visible before GP_PUT, and GP_PUT before the doorbell. */
	__atomic_thread_fence(__ATOMIC_RELEASE);
	channel->userd[KT_USERD_GP_PUT / 4] =
		(uint32_t)(channel->submitted % KT_BARE_ENTRIES);
	__atomic_thread_fence(__ATOMIC_RELEASE);
	/* Several threads write the doorbell without a lock. */
	__atomic_store_n(driver->doorbell, channel->token, __ATOMIC_RELAXED);
}
