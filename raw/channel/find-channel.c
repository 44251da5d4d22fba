/* SPDX-License-Identifier: MIT */
#include <inttypes.h>
#include <stdlib.h>

#include <ktail/status.h>

#include "base/try.h"
#include "decode/classes.h"
#include "decode/commands.h"
#include "decode/gpfifo.h"
#include "raw/channel/state.h"

#define FIRST_CLASS    0xc36fu /* Volta: the first channels with the methods SEM_* */
#define COMMANDS_BYTES (4u << 20)
#define LOW_BYTES      (256u << 10)

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
int kt_raw_find_channel(kt_raw *raw)
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
	kt_raw_note_last_entry(raw);
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

/* If commands and semaphores lie in one mapping, its unused part serves both. */
static bool find_unused(kt_raw *raw, const struct kt_observed_mapping *commands,
			const struct kt_observed_mapping *semaphores)
{
	const bool one = commands->start == semaphores->start;

	return kt_idle_space_find(&raw->commands, (const void *)commands->start,
				  commands->length,
				  one ? COMMANDS_BYTES + LOW_BYTES : COMMANDS_BYTES) &&
	       (one ? kt_idle_space_split(&raw->commands, &raw->low, LOW_BYTES)
		    : kt_idle_space_find(&raw->low, (const void *)semaphores->start,
					 semaphores->length, LOW_BYTES));
}

int kt_raw_find_space(kt_raw *raw)
{
	const struct kt_observed *o = kt_observed();
	struct search search = {0};

	for (size_t i = 0; i < o->n_channels; i++) {
		KT_TRY(search_channel(&search, &o->channels[i]));
	}
	if (!search.commands || !search.semaphores ||
	    !find_unused(raw, search.commands, search.semaphores)) {
		return kt_error(KT_E_IO,
				"find memory for commands: none of libcuda's is unused");
	}
	if ((raw->commands.start + raw->commands.length) >> 40 ||
	    (raw->low.start + raw->low.length) >> 40) {
		return kt_error(KT_E_IO,
				"find memory for commands: libcuda's is above 2^40");
	}
	raw->low_used = KT_SLOTS * KT_SLOT_BYTES;
	raw->written = calloc(1, raw->commands.length);
	return raw->written ? KT_OK : kt_no_memory("open channel");
}
