/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include <inttypes.h>
#include <sched.h>
#include <string.h>
#include <time.h>

#include <ktail/status.h>

#include "base/try.h"
#include "decode/bits.h"
#include "decode/gpfifo.h"
#include "decode/method-names.h"
#include "decode/method-stream.h"
#include "raw/channel/errors.h"
#include "raw/channel/state.h"

/* --- errors --- */

static uint32_t before_put(const kt_raw *raw)
{
	return (raw->put + raw->channel.entries - 1) % raw->channel.entries;
}

void kt_raw_note_last_entry(kt_raw *raw)
{
	const volatile uint32_t *entry = raw->ring + 2 * (size_t)before_put(raw);

	raw->last_entry[0] = entry[0];
	raw->last_entry[1] = entry[1];
}

bool kt_raw_is_dead(const kt_raw *raw)
{
	/* The notifier: time, number, code and status (NvNotification of nvlimits.h). */
	return raw->notifier && __atomic_load_n(raw->notifier, __ATOMIC_ACQUIRE) >> 16 != 0;
}

int kt_raw_check_channel(kt_raw *raw)
{
	const volatile uint32_t *last = raw->ring + 2 * (size_t)before_put(raw);

	if (kt_raw_is_dead(raw)) {
		raw->reported = true;
		return kt_error(KT_E_IO,
				"channel 0x%" PRIx32 " is dead: error %" PRIu32 ", %s",
				raw->channel.object, raw->notifier[-1],
				kt_raw_error_text(raw->notifier[-1]));
	}
	if (*raw->gp_put != raw->put) {
		raw->reported = true;
		return kt_error(KT_E_IO,
				"channel 0x%" PRIx32 ": libcuda has submitted to it, too "
				"(GP_PUT %" PRIu32 ", not %" PRIu32 ")",
				raw->channel.object, *raw->gp_put, raw->put);
	}
	/* libcuda counts from where it stopped: its GP_PUT may come to be the same. */
	if (last[0] != raw->last_entry[0] || last[1] != raw->last_entry[1]) {
		raw->reported = true;
		return kt_error(KT_E_IO,
				"channel 0x%" PRIx32 ": libcuda has submitted to it, too "
				"(entry %" PRIu32 ")",
				raw->channel.object, before_put(raw));
	}
	return KT_OK;
}

/* --- submission --- */

static void encode_release(uint32_t words[static KT_RELEASE_WORDS], uint64_t address,
			   uint32_t payload, bool idle)
{
	const struct kt_method_header header = {.op = KT_METHOD_INCREASING,
						.count = KT_RELEASE_WORDS - 1,
						.offset = KT_C86F_SEM_ADDR_LO};

	words[0] = kt_method_header_encode(&header);
	words[1] = (uint32_t)address;
	words[2] = (uint32_t)(address >> 32);
	words[3] = payload;
	words[4] = 0;
	words[5] = kt_bits(KT_C86F_SEM_EXECUTE__OPERATION,
			   KT_C86F_SEM_EXECUTE__OPERATION__RELEASE) |
		   kt_bits(KT_C86F_SEM_EXECUTE__RELEASE_WFI, idle) |
		   kt_bits(KT_C86F_SEM_EXECUTE__RELEASE_TIMESTAMP,
			   KT_C86F_SEM_EXECUTE__RELEASE_TIMESTAMP__EN);
}

static uint64_t slot_of(const struct kt_raw *raw, uint32_t submission)
{
	return raw->low.start + (uint64_t)(submission % KT_SLOTS) * KT_SLOT_BYTES;
}

/* Compares commands[from..to), which ends within the memory, with what must be there. */
static int check_space(struct kt_raw *raw, size_t from, size_t to)
{
	if (memcmp((const char *)raw->commands.start + from, raw->written + from,
		   to - from) != 0) {
		raw->reported = true;
		return kt_error(KT_E_IO, "write commands: libcuda uses the memory");
	}
	return KT_OK;
}

int kt_raw_check_commands(kt_raw *raw)
{
	return check_space(raw, 0, raw->touched);
}

/* Writes dwords and the ring entry that points to them. */
static void put_segment(struct kt_raw *raw, const uint32_t entry[2], const uint32_t *words,
			size_t n)
{
	const uintptr_t address = raw->commands.start + raw->next;
	volatile uint32_t *slot = raw->ring + 2 * (size_t)raw->put;
	uint32_t encoded[2] = {entry[0], entry[1]};

	if (n > 0) {
		struct kt_gpfifo_entry e;

		/* A length, so that the entry is taken for one of a segment. */
		encoded[1] |= 1u << 10;
		kt_gpfifo_decode(&e, encoded);
		e.address = address;
		e.words = (uint32_t)n;
		kt_gpfifo_encode(encoded, &e);
		for (size_t i = 0; i < n; i++) {
			((volatile uint32_t *)address)[i] = words[i];
		}
		memcpy(raw->written + raw->next, words, n * 4);
		raw->next += n * 4;
		raw->touched = raw->next > raw->touched ? raw->next : raw->touched;
	}
	slot[0] = raw->last_entry[0] = encoded[0];
	slot[1] = raw->last_entry[1] = encoded[1];
	raw->put = (raw->put + 1) % raw->channel.entries;
}

/* Makes the entries up to `put` visible to the device. */
static void ring_doorbell(struct kt_raw *raw)
{
	/*
	 * Commands may lie in write-combined memory, and so may the ring across the bus: a
	 * fence orders them before GP_PUT, and GP_PUT before the doorbell. libcuda reads
	 * back nothing, either.
	 */
	__builtin_ia32_sfence();
	*raw->gp_put = raw->put;
	__builtin_ia32_sfence();
	*raw->doorbell = raw->channel.token;
}

size_t kt_raw_most_segments(const kt_raw *raw)
{
	return raw->channel.entries - 1 - KT_OWN_SEGMENTS;
}

size_t kt_raw_most_words(const kt_raw *raw)
{
	const size_t words = raw->commands.length / 4 - KT_OWN_SEGMENTS * KT_RELEASE_WORDS;

	return words < KT_GPFIFO_MAX_WORDS ? words : KT_GPFIFO_MAX_WORDS;
}

/* Entries that may be in use. GP_GET is not asked: it lies across the bus, and may lag. */
static uint32_t pending_entries(const struct kt_raw *raw)
{
	return (raw->put + raw->channel.entries - raw->done) % raw->channel.entries;
}

int kt_raw_submit(kt_raw *raw, const struct kt_raw_segment *segments, size_t n)
{
	static const uint32_t none[2];
	uint32_t release[KT_RELEASE_WORDS];
	uint64_t slot;
	size_t words = KT_OWN_SEGMENTS * KT_RELEASE_WORDS;

	for (size_t i = 0; i < n; i++) {
		words += segments[i].n;
	}
	if (n > kt_raw_most_segments(raw) ||
	    words - KT_OWN_SEGMENTS * KT_RELEASE_WORDS > kt_raw_most_words(raw)) {
		return kt_error(KT_E_USAGE,
				"submit %zu segments: more than %zu, or than %zu dwords", n,
				kt_raw_most_segments(raw), kt_raw_most_words(raw));
	}
	KT_TRY(kt_raw_check_channel(raw));
	if (words * 4 > raw->commands.length - raw->next ||
	    n + KT_OWN_SEGMENTS > raw->channel.entries - 1 - pending_entries(raw)) {
		const uint32_t waited = raw->waited;

		KT_TRY(kt_raw_wait(raw, NULL, NULL));
		raw->waited = waited;
	}
	KT_TRY(check_space(raw, raw->next, raw->next + words * 4));
	slot = slot_of(raw, raw->submissions);
	raw->submissions++;
	encode_release(release, slot, raw->submissions, false);
	put_segment(raw, none, release, KT_RELEASE_WORDS);
	for (size_t i = 0; i < n; i++) {
		put_segment(raw, segments[i].entry, segments[i].words, segments[i].n);
	}
	encode_release(release, slot + 16, raw->submissions, true);
	put_segment(raw, none, release, KT_RELEASE_WORDS);
	ring_doorbell(raw);
	return KT_OK;
}

/* --- waiting --- */

static uint64_t now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
}

bool kt_raw_is_done(const kt_raw *raw)
{
	const volatile uint32_t *payload =
		(const volatile uint32_t *)(uintptr_t)(slot_of(raw, raw->submissions - 1) +
						       16);

	return raw->submissions == 0 ||
	       __atomic_load_n(payload, __ATOMIC_ACQUIRE) == raw->submissions;
}

/* Polls the semaphore that the last submission releases. */
static int wait_last(struct kt_raw *raw)
{
	const uint64_t begin = now_ms();

	for (unsigned polls = 1; !kt_raw_is_done(raw); polls++) {
		if (polls % 64 != 0) {
			__builtin_ia32_pause();
			continue;
		}
		KT_TRY(kt_raw_check_channel(raw));
		if (now_ms() - begin > raw->timeout_ms) {
			raw->stuck = true;
			return kt_error(KT_E_IO,
					"wait for submission %" PRIu32
					": not done after %u ms (GP_GET %" PRIu32
					", GP_PUT %" PRIu32 ")",
					raw->submissions, raw->timeout_ms, *raw->gp_get,
					raw->put);
		}
		sched_yield();
	}
	raw->stuck = false;
	return kt_raw_check_channel(raw);
}

int kt_raw_wait(kt_raw *raw, struct kt_raw_times times[KT_RAW_TIMES], size_t *n)
{
	const uint32_t since = raw->submissions - raw->waited;
	const uint32_t given = since < KT_RAW_TIMES ? since : KT_RAW_TIMES;

	if (raw->submissions > 0) {
		KT_TRY(wait_last(raw));
	}
	for (uint32_t i = 0; times && i < given; i++) {
		const volatile uint64_t *slot =
			(const volatile uint64_t *)(uintptr_t)slot_of(
				raw, raw->submissions - given + i);

		times[i] = (struct kt_raw_times){.begin = slot[1], .end = slot[3]};
	}
	if (n) {
		*n = given;
	}
	raw->waited = raw->submissions;
	raw->done = raw->put;
	raw->next = 0;
	return KT_OK;
}

int kt_raw_settle(kt_raw *raw)
{
	const struct timespec pause = {.tv_nsec = 1000000};
	const uint64_t begin = now_ms();

	KT_TRY(kt_raw_check_channel(raw));
	while (raw->settled != raw->submissions && now_ms() - begin < KT_SETTLE_MS) {
		nanosleep(&pause, NULL);
		KT_TRY(kt_raw_check_channel(raw));
	}
	raw->settled = raw->submissions;
	return KT_OK;
}

/* --- giving back --- */

int kt_raw_go_round(kt_raw *raw)
{
	static const uint32_t none[2];
	const uint32_t entries = raw->channel.entries;
	const uint32_t last = (raw->first_put + entries - 1) % entries;
	uint32_t release[KT_RELEASE_WORDS];

	if (raw->put == raw->first_put) {
		return KT_OK;
	}
	while (raw->put != last) {
		put_segment(raw, none, NULL, 0);
	}
	encode_release(release, slot_of(raw, raw->submissions) + 16, raw->submissions + 1,
		       true);
	raw->submissions++;
	put_segment(raw, none, release, KT_RELEASE_WORDS);
	ring_doorbell(raw);
	return kt_raw_wait(raw, NULL, NULL);
}
