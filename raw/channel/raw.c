/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "raw/channel/raw.h"

#include <errno.h>
#include <inttypes.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <ktail/status.h>

#include "base/array.h"
#include "base/try.h"
#include "decode/bits.h"
#include "decode/classes.h"
#include "decode/commands.h"
#include "decode/gpfifo.h"
#include "decode/method-names.h"
#include "raw/channel/cuda.h"
#include "raw/channel/errors.h"
#include "raw/channel/idle-space.h"
#include "raw/channel/interpose.h"
#include "raw/channel/observe.h"

#define FIRST_CLASS    0xc36fu /* Volta: the first channels with the methods SEM_* */
#define COMMANDS_BYTES (4u << 20)
#define LOW_BYTES      (256u << 10)
#define WARM_BYTES     (256u << 10) /* a copy that neither is inline nor fits one piece */
#define TIMEOUT_MS     10000u
#define RELEASE_WORDS  6
#define OWN_SEGMENTS   2 /* of each submission: a release before and after */
#define SLOTS          KT_RAW_TIMES
#define SLOT_BYTES     32 /* two semaphores: payload, 0, time */

struct allocation {
	enum kt_raw_memory_kind kind;
	uint64_t address;
	size_t bytes;
};

struct kt_raw {
	struct kt_raw_cuda cuda;
	int device;
	bool retained;
	unsigned timeout_ms;
	bool stuck; /* a wait took too long */
	struct kt_observed_channel channel;
	/* The channel's memory as the CPU sees it. */
	volatile uint32_t *ring;
	volatile uint32_t *gp_get;
	volatile uint32_t *gp_put;
	volatile uint32_t *doorbell;
	const volatile uint32_t *notifier;
	uint32_t first_put; /* GP_PUT as libcuda left it */
	uint32_t put;
	uint32_t done; /* GP_PUT at the last wait: the entries before are done */
	/* Commands: `next` bytes are written since the last wait, `touched` ever. */
	struct kt_idle_space commands;
	size_t next;
	size_t touched;
	struct kt_idle_space low; /* the semaphores, then allocations */
	size_t low_used;
	uint32_t submissions;
	uint32_t waited;                /* submissions of which the times were given */
	struct allocation *allocations; /* Owned by this */
	size_t n_allocations, allocations_capacity;
};

/* --- the channel --- */

static volatile uint32_t *word_of(uint32_t client, uint32_t object, uint64_t offset)
{
	return kt_observed_memory(client, object, offset, sizeof(uint32_t));
}

static bool has_kind(const struct kt_observed_channel *channel, enum kt_class_kind kind)
{
	for (size_t i = 0; i < channel->n_engines; i++) {
		if (kt_class_find(channel->engines[i])->kind == kind) {
			return true;
		}
	}
	return false;
}

/* Looks up the channel's memory. Returns false if it is not mapped. */
static bool find_memory(struct kt_raw *raw, const struct kt_observed_channel *c)
{
	const uint64_t userd = c->userd_offset;
	const struct kt_observed_mapping *ring =
		kt_observed_mapping(c->ring, (size_t)c->entries * KT_GPFIFO_ENTRY_BYTES);

	raw->channel = *c;
	raw->gp_get = word_of(c->client, c->userd_memory, userd + KT_USERD_GP_GET);
	raw->gp_put = word_of(c->client, c->userd_memory, userd + KT_USERD_GP_PUT);
	raw->notifier = word_of(c->client, c->error_memory, 12); /* may be NULL */
	raw->ring = ring && ring->writable ? (volatile uint32_t *)(uintptr_t)c->ring : NULL;
	return c->has_token && c->class_number >= FIRST_CLASS && raw->gp_get &&
	       raw->gp_put && raw->ring && c->entries >= 8;
}

/*
 * Chooses the channel with compute and copy objects to which libcuda has submitted least;
 * of several, the last: libcuda hands them out in the order in which it made them. No work
 * is left in any: the context was synchronised.
 */
static int choose_channel(struct kt_raw *raw)
{
	const struct kt_observed *o = kt_observed();
	const struct kt_observed_channel *best = NULL;
	uint32_t best_put = UINT32_MAX;

	if (o->incomplete) {
		return kt_no_memory("observe libcuda");
	}
	for (size_t i = 0; i < o->n_channels; i++) {
		const struct kt_observed_channel *c = &o->channels[i];

		if (find_memory(raw, c) && has_kind(c, KT_CLASS_COMPUTE) &&
		    has_kind(c, KT_CLASS_DMA_COPY) && *raw->gp_put < c->entries &&
		    *raw->gp_put <= best_put) {
			best = c;
			best_put = *raw->gp_put;
		}
	}
	if (!best) {
		return kt_error(KT_E_IO,
				"find an idle channel: none of %zu has compute and copy "
				"objects, a token, and a ring and a USERD that are mapped",
				o->n_channels);
	}
	(void)find_memory(raw, best);
	raw->first_put = raw->put = raw->done = best_put;
	for (size_t i = 0; i < o->n_mappings; i++) {
		const struct kt_observed_mapping *m = &o->mappings[i];
		const struct kt_class *class_ = kt_class_find(m->class_number);

		/* libcuda rings the doorbell of its last such mapping. */
		if (class_ && class_->kind == KT_CLASS_USERMODE && m->writable &&
		    m->length >= class_->doorbell + sizeof(uint32_t)) {
			raw->doorbell = (volatile uint32_t *)(m->start + class_->doorbell);
		}
	}
	return raw->doorbell ? KT_OK : kt_error(KT_E_IO, "find the doorbell: not mapped");
}

/* --- memory for commands and semaphores --- */

struct search {
	const struct kt_observed_mapping *commands;
	const struct kt_observed_mapping *semaphores;
};

static void note_release(void *context, const struct kt_decoded *decoded)
{
	struct search *search = context;

	if (decoded->command.kind == KT_COMMAND_RELEASE) {
		const struct kt_observed_mapping *m =
			kt_observed_mapping(decoded->command.address, 16);

		search->semaphores = m && m->writable ? m : search->semaphores;
	}
}

/* Decodes what was submitted to a channel: it shows where libcuda keeps what. */
static int search_channel(struct search *search, const struct kt_observed_channel *c)
{
	struct kt_channel_decoder *decoder;
	struct kt_raw channel = {0};

	if (!find_memory(&channel, c) || *channel.gp_put >= c->entries) {
		return KT_OK;
	}
	if (kt_channel_decoder_new(&decoder, c->class_number)) {
		return kt_no_memory("decode submissions");
	}
	for (size_t i = 0; i < c->n_engines; i++) {
		kt_channel_decoder_allow(decoder, c->engines[i]);
	}
	for (uint32_t i = 0; i < *channel.gp_put; i++) {
		const uint32_t raw[2] = {channel.ring[2 * i], channel.ring[2 * i + 1]};
		const struct kt_observed_mapping *m;
		struct kt_gpfifo_entry e;

		kt_gpfifo_decode(&e, raw);
		m = kt_observed_mapping(e.address, (size_t)e.words * 4);
		if (e.words > 0 && m && m->writable) {
			search->commands = m;
			kt_channel_decode(decoder, (const uint32_t *)(uintptr_t)e.address,
					  e.words, note_release, search);
		}
	}
	kt_channel_decoder_free(decoder);
	return KT_OK;
}

static int find_space(struct kt_raw *raw)
{
	const struct kt_observed *o = kt_observed();
	struct search search = {0};

	for (size_t i = 0; i < o->n_channels; i++) {
		KT_TRY(search_channel(&search, &o->channels[i]));
	}
	if (!search.commands || !search.semaphores ||
	    !kt_idle_space_find(&raw->commands, (const void *)search.commands->start,
				search.commands->length, COMMANDS_BYTES) ||
	    !kt_idle_space_find(&raw->low, (const void *)search.semaphores->start,
				search.semaphores->length, LOW_BYTES)) {
		return kt_error(KT_E_IO,
				"find memory for commands: none of libcuda's is unused");
	}
	if ((raw->commands.start + raw->commands.length) >> 40 ||
	    (raw->low.start + raw->low.length) >> 40) {
		return kt_error(KT_E_IO,
				"find memory for commands: libcuda's is above 2^40");
	}
	raw->low_used = SLOTS * SLOT_BYTES;
	return KT_OK;
}

/* --- errors --- */

static int check_channel(struct kt_raw *raw)
{
	/* The notifier: time, number, code and status (NvNotification of nvlimits.h). */
	if (raw->notifier && __atomic_load_n(raw->notifier, __ATOMIC_ACQUIRE) >> 16 != 0) {
		return kt_error(KT_E_IO,
				"channel 0x%" PRIx32 " is dead: error %" PRIu32 ", %s",
				raw->channel.object, raw->notifier[-1],
				kt_raw_error_text(raw->notifier[-1]));
	}
	if (*raw->gp_put != raw->put) {
		return kt_error(KT_E_IO,
				"channel 0x%" PRIx32 ": libcuda has submitted to it, too "
				"(GP_PUT %" PRIu32 ", not %" PRIu32 ")",
				raw->channel.object, *raw->gp_put, raw->put);
	}
	return KT_OK;
}

/* --- submission --- */

static void encode_release(uint32_t words[static RELEASE_WORDS], uint64_t address,
			   uint32_t payload, bool idle)
{
	const struct kt_method_header header = {.op = KT_METHOD_INCREASING,
						.count = RELEASE_WORDS - 1,
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
	return raw->low.start + (uint64_t)(submission % SLOTS) * SLOT_BYTES;
}

/* Returns an error if libcuda wrote to memory that was unused. */
static int check_space(const struct kt_raw *raw, size_t bytes)
{
	const uint64_t *at = (const uint64_t *)raw->commands.start;

	for (size_t i = (raw->touched + 7) / 8; i < (raw->next + bytes + 7) / 8; i++) {
		if (at[i] != 0) {
			return kt_error(KT_E_IO, "write commands: libcuda uses the memory");
		}
	}
	return KT_OK;
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
		raw->next += n * 4;
		raw->touched = raw->next > raw->touched ? raw->next : raw->touched;
	}
	slot[0] = encoded[0];
	slot[1] = encoded[1];
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

static size_t most_segments(const struct kt_raw *raw)
{
	return raw->channel.entries - 1 - OWN_SEGMENTS;
}

static size_t most_words(const struct kt_raw *raw)
{
	const size_t words = raw->commands.length / 4 - OWN_SEGMENTS * RELEASE_WORDS;

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
	uint32_t release[RELEASE_WORDS];
	uint64_t slot;
	size_t words = OWN_SEGMENTS * RELEASE_WORDS;

	for (size_t i = 0; i < n; i++) {
		words += segments[i].n;
	}
	if (n > most_segments(raw) ||
	    words - OWN_SEGMENTS * RELEASE_WORDS > most_words(raw)) {
		return kt_error(KT_E_USAGE,
				"submit %zu segments: more than %zu, or than %zu dwords", n,
				most_segments(raw), most_words(raw));
	}
	KT_TRY(check_channel(raw));
	if (words * 4 > raw->commands.length - raw->next ||
	    n + OWN_SEGMENTS > raw->channel.entries - 1 - pending_entries(raw)) {
		const uint32_t waited = raw->waited;

		KT_TRY(kt_raw_wait(raw, NULL, NULL));
		raw->waited = waited;
	}
	KT_TRY(check_space(raw, words * 4));
	slot = slot_of(raw, raw->submissions);
	raw->submissions++;
	encode_release(release, slot, raw->submissions, false);
	put_segment(raw, none, release, RELEASE_WORDS);
	for (size_t i = 0; i < n; i++) {
		put_segment(raw, segments[i].entry, segments[i].words, segments[i].n);
	}
	encode_release(release, slot + 16, raw->submissions, true);
	put_segment(raw, none, release, RELEASE_WORDS);
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

/* Polls the semaphore that the last submission releases. */
static int wait_last(struct kt_raw *raw)
{
	const volatile uint32_t *payload =
		(const volatile uint32_t *)(uintptr_t)(slot_of(raw, raw->submissions - 1) +
						       16);
	const uint64_t begin = now_ms();

	for (unsigned polls = 1;
	     __atomic_load_n(payload, __ATOMIC_ACQUIRE) != raw->submissions; polls++) {
		if (polls % 64 != 0) {
			__builtin_ia32_pause();
			continue;
		}
		KT_TRY(check_channel(raw));
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
	return check_channel(raw);
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

/* --- buffers --- */

int kt_raw_allocate(kt_raw *raw, enum kt_raw_memory_kind kind, size_t bytes,
		    uint64_t *address)
{
	void *memory = NULL;
	int code = KT_OK;

	KT_TRY(kt_array_reserve(&raw->allocations, &raw->allocations_capacity,
				raw->n_allocations + 1));
	bytes = (bytes + 255) & ~(size_t)255;
	switch (kind) {
	case KT_RAW_MEMORY_DEVICE:
		code = kt_raw_cuda_check(&raw->cuda, raw->cuda.cuMemAlloc(address, bytes),
					 "allocate device memory");
		break;
	case KT_RAW_MEMORY_HOST:
		code = kt_raw_cuda_check(&raw->cuda,
					 raw->cuda.cuMemAllocHost(&memory, bytes),
					 "allocate host memory");
		*address = (uintptr_t)memory;
		break;
	case KT_RAW_MEMORY_LOW:
		if (bytes > raw->low.length - raw->low_used) {
			return kt_error(
				KT_E_IO,
				"allocate %zu bytes of low memory: only %zu are free",
				bytes, raw->low.length - raw->low_used);
		}
		*address = raw->low.start + raw->low_used;
		raw->low_used += bytes;
		break;
	}
	if (code) {
		return code;
	}
	raw->allocations[raw->n_allocations++] = (struct allocation){kind, *address, bytes};
	if (kind == KT_RAW_MEMORY_DEVICE) {
		void *zero = calloc(1, bytes);

		code = zero ? kt_raw_write(raw, *address, zero, bytes)
			    : kt_no_memory("clear device memory");
		free(zero);
	} else {
		memset((void *)(uintptr_t)*address, 0, bytes);
	}
	return code;
}

static int find_allocation(const struct kt_raw *raw, uint64_t address, size_t bytes,
			   const struct allocation **out)
{
	for (size_t i = 0; i < raw->n_allocations; i++) {
		const struct allocation *a = &raw->allocations[i];

		if (address >= a->address && address - a->address <= a->bytes &&
		    bytes <= a->bytes - (address - a->address)) {
			*out = a;
			return KT_OK;
		}
	}
	return kt_error(KT_E_USAGE, "access 0x%" PRIx64 ", %zu bytes: not allocated",
			address, bytes);
}

int kt_raw_write(kt_raw *raw, uint64_t address, const void *data, size_t bytes)
{
	const struct allocation *a;

	KT_TRY(find_allocation(raw, address, bytes, &a));
	if (a->kind == KT_RAW_MEMORY_DEVICE) {
		return kt_raw_cuda_check(&raw->cuda,
					 raw->cuda.cuMemcpyHtoD(address, data, bytes),
					 "write device memory");
	}
	memcpy((void *)(uintptr_t)address, data, bytes);
	return KT_OK;
}

int kt_raw_read(kt_raw *raw, uint64_t address, void *data, size_t bytes)
{
	const struct allocation *a;

	KT_TRY(find_allocation(raw, address, bytes, &a));
	if (a->kind == KT_RAW_MEMORY_DEVICE) {
		return kt_raw_cuda_check(&raw->cuda,
					 raw->cuda.cuMemcpyDtoH(data, address, bytes),
					 "read device memory");
	}
	memcpy(data, (const void *)(uintptr_t)address, bytes);
	return KT_OK;
}

/* --- opening and closing --- */

/* Lets libcuda submit copies, so that its memory and its own channels are known. */
static int warm_up(struct kt_raw *raw)
{
	uint64_t address;
	char *data = calloc(1, WARM_BYTES);
	int code;

	if (!data) {
		return kt_no_memory("open channel");
	}
	KT_TRY_END(kt_raw_cuda_check(&raw->cuda, raw->cuda.cuMemAlloc(&address, WARM_BYTES),
				     "allocate device memory"));
	code = kt_raw_cuda_check(&raw->cuda,
				 raw->cuda.cuMemcpyHtoD(address, data, WARM_BYTES),
				 "write device memory");
	if (!code) {
		code = kt_raw_cuda_check(&raw->cuda,
					 raw->cuda.cuMemcpyDtoH(data, address, WARM_BYTES),
					 "read device memory");
	}
	if (!code) {
		code = kt_raw_cuda_check(&raw->cuda, raw->cuda.cuCtxSynchronize(),
					 "wait for the device");
	}
	raw->cuda.cuMemFree(address);
end:
	free(data);
	return code;
}

/* Binds the channel's objects to the subchannels that are customary. */
static int bind_engines(struct kt_raw *raw)
{
	uint32_t words[2 * KT_OBSERVED_ENGINES];
	struct kt_raw_segment segment = {.words = words};

	for (size_t i = 0; i < raw->channel.n_engines; i++) {
		const bool copy =
			kt_class_find(raw->channel.engines[i])->kind == KT_CLASS_DMA_COPY;
		const struct kt_method_header header = {.op = KT_METHOD_INCREASING,
							.count = 1,
							.subchannel = copy ? 4 : 1,
							.offset = KT_C86F_SET_OBJECT};

		words[segment.n++] = kt_method_header_encode(&header);
		words[segment.n++] = raw->channel.engines[i];
	}
	KT_TRY(kt_raw_submit(raw, &segment, 1));
	return kt_raw_wait(raw, NULL, NULL);
}

int kt_raw_open(kt_raw **out, const struct kt_raw_options *options)
{
	struct kt_raw *raw = calloc(1, sizeof(*raw));
	void *context;
	int code;

	*out = NULL;
	if (!raw) {
		return kt_no_memory("open channel");
	}
	raw->timeout_ms = options->timeout_ms ? options->timeout_ms : TIMEOUT_MS;
	kt_raw_interpose();
	KT_TRY_END(kt_raw_cuda_load(&raw->cuda,
				    options->library ? options->library : "libcuda.so.1"));
	KT_TRY_END(kt_raw_cuda_check(&raw->cuda, raw->cuda.cuInit(0), "cuInit"));
	KT_TRY_END(kt_raw_cuda_check(&raw->cuda,
				     raw->cuda.cuDeviceGet(&raw->device, options->device),
				     "cuDeviceGet"));
	KT_TRY_END(kt_raw_cuda_check(
		&raw->cuda, raw->cuda.cuDevicePrimaryCtxRetain(&context, raw->device),
		"create a context"));
	raw->retained = true;
	KT_TRY_END(kt_raw_cuda_check(&raw->cuda, raw->cuda.cuCtxSetCurrent(context),
				     "cuCtxSetCurrent"));
	KT_TRY_END(warm_up(raw));
	KT_TRY_END(choose_channel(raw));
	KT_TRY_END(find_space(raw));
	KT_TRY_END(bind_engines(raw));
	*out = raw;
	return KT_OK;
end:
	kt_raw_close(raw);
	return code;
}

/*
 * Moves GP_PUT to where libcuda left it, by NOP entries and a release, and zeroes what was
 * written.
 */
static void give_back(struct kt_raw *raw)
{
	static const uint32_t none[2];
	uint32_t release[RELEASE_WORDS];

	if (raw->submissions == 0 || raw->stuck || kt_raw_wait(raw, NULL, NULL)) {
		return;
	}
	if (raw->put != raw->first_put) {
		const uint32_t last =
			(raw->first_put + raw->channel.entries - 1) % raw->channel.entries;

		while (raw->put != last) {
			put_segment(raw, none, NULL, 0);
		}
		encode_release(release, slot_of(raw, raw->submissions) + 16,
			       raw->submissions + 1, true);
		raw->submissions++;
		put_segment(raw, none, release, RELEASE_WORDS);
		ring_doorbell(raw);
		if (kt_raw_wait(raw, NULL, NULL)) {
			return;
		}
	}
	memset((void *)raw->commands.start, 0, raw->touched);
	memset((void *)raw->low.start, 0, raw->low_used);
}

void kt_raw_close(kt_raw *raw)
{
	if (!raw) {
		return;
	}
	give_back(raw);
	for (size_t i = 0; i < raw->n_allocations; i++) {
		const struct allocation *a = &raw->allocations[i];

		if (a->kind == KT_RAW_MEMORY_DEVICE) {
			raw->cuda.cuMemFree(a->address);
		} else if (a->kind == KT_RAW_MEMORY_HOST) {
			raw->cuda.cuMemFreeHost((void *)(uintptr_t)a->address);
		}
	}
	if (raw->retained) {
		raw->cuda.cuDevicePrimaryCtxRelease(raw->device);
	}
	/* The library stays loaded: its threads may still run. */
	free(raw->allocations);
	free(raw);
}

struct kt_raw_info kt_raw_info(const kt_raw *raw)
{
	return (struct kt_raw_info){
		.client = raw->channel.client,
		.channel = raw->channel.object,
		.channel_class = raw->channel.class_number,
		.token = raw->channel.token,
		.engines = raw->channel.engines,
		.n_engines = raw->channel.n_engines,
		.ring = raw->channel.ring,
		.ring_entries = raw->channel.entries,
		.gp_put = raw->put,
		.segment_words = most_words(raw),
		.segments = most_segments(raw),
	};
}
