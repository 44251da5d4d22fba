/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include <sched.h>
#include <time.h>

#include "base/try.h"
#include "corpus/softgpu/driver/driver.h"
#include "corpus/softgpu/driver/poll.h"

#define READS_BETWEEN_CHECKS 64 /* of the semaphore, then one of a notifier */
#define READS_AT_ONCE        8  /* without leaving the processor to others */
#define SLEEP_NS             50000

/* What was done before the release is seen after it. */
static uint32_t read_payload(const struct kt_channel *channel, uint32_t index)
{
	const volatile uint8_t *cpu = channel->context->semaphores.cpu + (size_t)index * 16;

	return __atomic_load_n((const volatile uint32_t *)cpu, __ATOMIC_ACQUIRE);
}

uint64_t kt_poll_read(const struct kt_channel *channel,
		      const struct kt_semaphore *semaphore)
{
	uint32_t behind =
		(uint32_t)semaphore->value - read_payload(channel, semaphore->index);

	return semaphore->value - behind;
}

static bool has_come(const struct kt_channel *channel, const struct kt_semaphore *semaphore,
		     uint64_t value)
{
	uint32_t payload = read_payload(channel, semaphore->index);

	return (int32_t)(payload - (uint32_t)value) >= 0;
}

/*
 * A channel that waits for a dead one never gets further, so each of the context's
 * notifiers has its turn.
 */
static int check_next(struct kt_channel *channel, unsigned *turn)
{
	struct kt_context *context = channel->context;
	uint32_t i = (channel->index + *turn) % KT_CHANNELS;

	KT_TRY(kt_context_error(context));
	*turn += 1;
	return kt_channel_check(&context->channels[i]);
}

/* The primary one's can change while others wait. */
static bool sleeps(const struct kt_context *context)
{
	return __atomic_load_n(&context->blocking, __ATOMIC_RELAXED);
}

static int poll_until(struct kt_channel *channel, const struct kt_semaphore *semaphore,
		      uint64_t value, bool sleep)
{
	unsigned turn = 0;
	unsigned reads = 0;

	{
		KT_LABEL(READ_TIMER);
		const volatile uint8_t *page = kt_driver_get()->registers;

		/* NVIDIA's driver notes the time when it begins to poll. */
		(void)*(const volatile uint64_t *)(page + KT_ABI_USERMODE_TIME_LO);
	}
	while (!has_come(channel, semaphore, value)) {
		if (sleep) {
			nanosleep(&(struct timespec){.tv_nsec = SLEEP_NS}, NULL);
		} else if (reads < READS_AT_ONCE) {
			__builtin_ia32_pause();
		} else {
			sched_yield();
		}
		reads++;
		if (reads % READS_BETWEEN_CHECKS == 0) {
			KT_TRY(check_next(channel, &turn));
		}
	}
	return KT_CU_OK;
}

int kt_poll(struct kt_channel *channel, const struct kt_semaphore *semaphore,
	    uint64_t value)
{
	KT_LABEL(POLL);

	return poll_until(channel, semaphore, value, sleeps(channel->context));
}

int kt_wait_look(struct kt_channel *channel, const struct kt_semaphore *semaphore,
		 uint64_t value)
{
	KT_LABEL(CHECK_PROGRESS);
	unsigned turn;
	int result = kt_driver_get() ? kt_context_error(channel->context)
				     : KT_CU_NOT_INITIALIZED;

	if (result != KT_CU_OK || has_come(channel, semaphore, value)) {
		return result;
	}
	turn = __atomic_fetch_add(&channel->looks, 1, __ATOMIC_RELAXED);
	result = check_next(channel, &turn);
	return result == KT_CU_OK ? KT_CU_NOT_READY : result;
}

int kt_wait_so(struct kt_channel *channel, const struct kt_semaphore *semaphore,
	       uint64_t value, bool sleep)
{
	KT_LABEL(POLL);
	int result = kt_driver_get() ? kt_context_error(channel->context)
				     : KT_CU_NOT_INITIALIZED;

	if (result != KT_CU_OK || has_come(channel, semaphore, value)) {
		return result;
	}
	return poll_until(channel, semaphore, value, sleep || sleeps(channel->context));
}

int kt_wait(struct kt_channel *channel, const struct kt_semaphore *semaphore,
	    uint64_t value)
{
	return kt_wait_so(channel, semaphore, value, false);
}

static struct kt_semaphore progress_of(struct kt_channel *channel)
{
	struct kt_semaphore progress;

	pthread_mutex_lock(&channel->lock);
	progress = channel->progress;
	pthread_mutex_unlock(&channel->lock);
	return progress;
}

bool kt_wait_is_idle(struct kt_channel *channel)
{
	KT_LABEL(CHECK_PROGRESS);
	struct kt_semaphore progress = progress_of(channel);

	return has_come(channel, &progress, progress.value);
}

int kt_wait_channel(struct kt_channel *channel)
{
	struct kt_semaphore progress = progress_of(channel);

	return kt_wait(channel, &progress, progress.value);
}

int kt_wait_all(struct kt_context *context)
{
	for (uint32_t i = 0; i < KT_CHANNELS; i++) {
		KT_TRY(kt_wait_channel(&context->channels[i]));
	}
	return KT_CU_OK;
}
