/* SPDX-License-Identifier: MIT */
/*
 * Submission and completion.
 *
 * A submission makes four kinds of stores, in this order: its dwords to the channel's part
 * of the pushbuffer; a ring entry that points to the dwords; the index of the next entry
 * to GP_PUT; the channel's token to the doorbell. Completion is detected only by the
 * progress semaphore, which each submission releases last: an entry and its dwords can be
 * reused when the semaphore has reached the entry's value.
 */
#define _GNU_SOURCE
#include <sched.h>
#include <time.h>

#include "base/try.h"
#include "corpus/softgpu/driver/driver.h"
#include "decode/gpfifo.h"

/* --- completion --- */

#define READS_BETWEEN_CHECKS 64 /* reads of the semaphore per read of a notifier */
#define READS_AT_ONCE        8  /* reads before the processor is yielded */
#define SLEEP_NS             50000

/*
 * Reads with acquire order, so that everything that the device wrote before it released the
 * semaphore is visible afterwards.
 */
static uint32_t read_payload(const struct kt_channel *channel, uint32_t index)
{
	const volatile uint8_t *cpu = channel->context->semaphores.cpu + (size_t)index * 16;

	return __atomic_load_n((const volatile uint32_t *)cpu, __ATOMIC_ACQUIRE);
}

/*
 * Reads the semaphore once. Returns the greatest 64-bit value that is at most
 * semaphore->value and has the payload as its low half.
 */
static uint64_t read_value(const struct kt_channel *channel,
			   const struct kt_semaphore *semaphore)
{
	uint32_t payload = read_payload(channel, semaphore->index);
	uint32_t distance = (uint32_t)semaphore->value - payload;

	return semaphore->value - distance;
}

static bool has_come(const struct kt_channel *channel, const struct kt_semaphore *semaphore,
		     uint64_t value)
{
	uint32_t payload = read_payload(channel, semaphore->index);

	return (int32_t)(payload - (uint32_t)value) >= 0;
}

/*
 * Checks the notifier of one channel of the context and advances *turn, so that the next
 * call checks the next channel. To check only `channel` would not suffice, because its
 * notifier never changes if `channel` waits for another channel that failed.
 */
static int check_next(struct kt_channel *channel, unsigned *turn)
{
	struct kt_context *context = channel->context;
	uint32_t i = (channel->index + *turn) % KT_CHANNELS;

	KT_TRY(kt_context_error(context));
	*turn += 1;
	return kt_channel_check(&context->channels[i]);
}

/* The load is atomic: the primary context's setting can change while other threads wait. */
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

		/* Imitates NVIDIA's driver, which reads the time when it starts to poll. */
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

/* Polls until the semaphore is at least `value`: procedure `poll` of driver.points. */
static int poll_value(struct kt_channel *channel, const struct kt_semaphore *semaphore,
		      uint64_t value)
{
	KT_LABEL(POLL);

	return poll_until(channel, semaphore, value, sleeps(channel->context));
}

/* --- space --- */

/*
 * The dwords of a submission are contiguous: if they do not fit before the end of the
 * channel's pushbuffer, they start at the beginning of the pushbuffer.
 */
static uint64_t next_fit(uint64_t at, uint64_t bytes)
{
	uint64_t offset = at % KT_PUSHBUFFER_BYTES;

	return offset + bytes > KT_PUSHBUFFER_BYTES ? at + KT_PUSHBUFFER_BYTES - offset
						    : at;
}

/* Frees the ring entries up to the entry with this value, so that they can be reused. */
static void retire_until(struct kt_channel *channel, uint64_t value)
{
	while (channel->oldest != channel->put) {
		uint32_t i = channel->oldest % KT_RING_ENTRIES;

		if ((int64_t)(channel->entries[i].value - value) > 0) {
			break;
		}
		channel->done_at = channel->entries[i].end;
		channel->oldest++;
	}
}

static bool has_space(const struct kt_channel *channel, uint32_t oldest, uint64_t done_at,
		      const size_t *parts, size_t n)
{
	uint64_t end = channel->pushbuffer_at;

	for (size_t i = 0; i < n; i++) {
		size_t words = parts[i] - (i ? parts[i - 1] : 0) + KT_RELEASE_WORDS;

		end = next_fit(end, words * sizeof(uint32_t)) + words * sizeof(uint32_t);
	}
	return channel->put - oldest + n < KT_RING_ENTRIES &&
	       end - done_at <= KT_PUSHBUFFER_BYTES;
}

/*
 * If the pushbuffer is empty and the submission does not fit at the current position,
 * restarts at the pushbuffer's beginning, where every valid submission fits.
 */
static void restart_if_empty(struct kt_channel *channel, const size_t *parts, size_t n)
{
	if (channel->oldest == channel->put) {
		channel->done_at = channel->pushbuffer_at;
		if (!has_space(channel, channel->oldest, channel->done_at, parts, n)) {
			channel->pushbuffer_at =
				next_fit(channel->pushbuffer_at, KT_PUSHBUFFER_BYTES);
			channel->done_at = channel->pushbuffer_at;
		}
	}
}

static int reserve(struct kt_channel *channel, const size_t *parts, size_t n)
{
	KT_LABEL(CHECK_PROGRESS);
	int result = KT_CU_OK;

	retire_until(channel, read_value(channel, &channel->progress));
	restart_if_empty(channel, parts, n);
	if (!has_space(channel, channel->oldest, channel->done_at, parts, n)) {
		/*
		 * Waits for the first entry whose completion frees enough space; if there
		 * is none, waits for the last entry.
		 */
		uint64_t value = channel->progress.value;

		for (uint32_t e = channel->oldest; e != channel->put; e++) {
			uint32_t i = e % KT_RING_ENTRIES;

			if (has_space(channel, e + 1, channel->entries[i].end, parts, n)) {
				value = channel->entries[i].value;
				break;
			}
		}
		result = poll_value(channel, &channel->progress, value);
		retire_until(channel, value);
		restart_if_empty(channel, parts, n);
	}
	return result;
}

/* --- submission --- */

/* Stores the dwords in ascending order, which memcpy does not guarantee. */
static void store_words(volatile uint32_t *to, const uint32_t *from, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		to[i] = from[i];
	}
}

/*
 * Makes one submission. Writes the doorbell once, or twice with `again`, but not at all if
 * the channel is dead.
 */
static int ring_once(struct kt_channel *channel, const uint32_t *words, size_t n,
		     bool again)
{
	uint32_t release[KT_RELEASE_WORDS];
	uint64_t bytes = (n + KT_RELEASE_WORDS) * sizeof(uint32_t);
	uint64_t at = next_fit(channel->pushbuffer_at, bytes);
	uint64_t offset = at % KT_PUSHBUFFER_BYTES;
	uint32_t i = channel->put % KT_RING_ENTRIES;
	int result;

	kt_release_encode(release,
			  kt_semaphore_address(channel->context, channel->progress.index),
			  channel->progress.value + 1);
	{
		KT_LABEL(WRITE_COMMANDS);
		volatile uint32_t *to =
			(volatile uint32_t *)kt_pushbuffer_at(channel, offset);

		store_words(to, words, n);
		store_words(to + n, release, KT_RELEASE_WORDS);
	}
	{
		KT_LABEL(WRITE_RING);
		volatile uint8_t *ring = channel->context->ring.cpu;
		volatile uint32_t *slot =
			(volatile uint32_t *)(ring + kt_ring_offset(channel->index) +
					      (uint64_t)i * KT_GPFIFO_ENTRY_BYTES);
		volatile uint32_t *gp_put =
			(volatile uint32_t *)(ring + kt_userd_offset(channel->index) +
					      KT_USERD_GP_PUT);
		struct kt_gpfifo_entry entry = {
			.address = kt_pushbuffer_address(channel, offset),
			.words = (uint32_t)(n + KT_RELEASE_WORDS),
		};
		uint32_t encoded[2];

		kt_gpfifo_encode(encoded, &entry);
		slot[0] = encoded[0];
		slot[1] = encoded[1];
		__atomic_store_n(gp_put, (i + 1) % KT_RING_ENTRIES, __ATOMIC_RELEASE);
	}
	channel->progress.value++;
	channel->entries[i].value = channel->progress.value;
	channel->entries[i].end = at + bytes;
	channel->pushbuffer_at = at + bytes;
	channel->put++;
	result = kt_channel_check(channel);
	if (result == KT_CU_OK) {
		KT_LABEL_SUBMISSION();
		volatile uint8_t *page = kt_driver_get()->doorbell;

		/*
		 * The ring is write-combined, so its stores may still be in the CPU's
		 * buffers; the fence empties them. All channels use the same register, so
		 * the token identifies the channel.
		 */
		__builtin_ia32_sfence();
		for (int times = 0; times < 1 + again; times++) {
			__atomic_store_n(
				(volatile uint32_t *)(page + KT_ABI_USERMODE_DOORBELL),
				channel->token, __ATOMIC_RELEASE);
		}
	}
	return result;
}

/*
 * Counts the submission. Returns what KTAIL_SOFTGPU_SEED makes the driver do twice in this
 * call: write the first doorbell, submit, or nothing.
 */
static enum kt_seed next_seed(void)
{
	struct kt_driver *d = kt_driver_get();
	const unsigned long number =
		__atomic_add_fetch(&d->submissions, 1, __ATOMIC_RELAXED);

	return number == d->seed_at ? d->seed : KT_SEED_NONE;
}

int kt_submit_parts(struct kt_channel *channel, const struct kt_push *push,
		    const size_t *parts, size_t n, uint64_t *value)
{
	uint64_t most = KT_PUSHBUFFER_BYTES / sizeof(uint32_t);
	enum kt_seed seed;
	int code;

	if (push->failed) {
		return KT_CU_OUT_OF_MEMORY;
	}
	if (!kt_driver_get()) {
		return KT_CU_NOT_INITIALIZED;
	}
	if (n == 0 || n >= KT_RING_ENTRIES || push->n > most || parts[n - 1] != push->n ||
	    push->n + n * KT_RELEASE_WORDS > most) {
		return KT_CU_INVALID_VALUE;
	}
	for (size_t i = 1; i < n; i++) {
		if (parts[i] < parts[i - 1]) {
			return KT_CU_INVALID_VALUE;
		}
	}
	pthread_mutex_lock(&channel->lock);
	KT_TRY_END(kt_context_error(channel->context));
	seed = next_seed();
	for (int times = 0; times < 1 + (seed == KT_SEED_SUBMISSION); times++) {
		KT_TRY_END(reserve(channel, parts, n));
		for (size_t i = 0; i < n; i++) {
			size_t begin = i ? parts[i - 1] : 0;

			/*
			 * If there are no dwords, push->words may be NULL, and adding even
			 * 0 to NULL is undefined.
			 */
			KT_TRY_END(ring_once(
				channel, begin ? push->words + begin : push->words,
				parts[i] - begin, seed == KT_SEED_DOORBELL && i == 0));
		}
	}
	if (value) {
		*value = channel->progress.value;
	}
end:
	pthread_mutex_unlock(&channel->lock);
	return code;
}

int kt_submit(struct kt_channel *channel, const struct kt_push *push, uint64_t *value)
{
	return kt_submit_parts(channel, push, &push->n, 1, value);
}

/* --- waits --- */

int kt_wait_poll(struct kt_channel *channel, const struct kt_semaphore *semaphore,
		 uint64_t value)
{
	KT_LABEL(CHECK_PROGRESS);
	unsigned turn;
	int result = kt_driver_get() ? kt_context_error(channel->context)
				     : KT_CU_NOT_INITIALIZED;

	if (result != KT_CU_OK || has_come(channel, semaphore, value)) {
		return result;
	}
	turn = __atomic_fetch_add(&channel->polls, 1, __ATOMIC_RELAXED);
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
