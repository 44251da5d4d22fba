/* SPDX-License-Identifier: MIT */
/*
 * Inline data: LAUNCH_DMA says where they go, LOAD_INLINE_DATA brings them, and the newest
 * of them are remembered, because a launch may point at what they wrote.
 */
#include "decode/command-state.h"

#include <string.h>

#include "decode/bits.h"
#include "decode/method-names.h"

#define FIELD(name, value) kt_bits_in(KT_CBC0_LAUNCH_DMA__##name, value)

/* --- the log --- */

static struct kt_inline_write *write_at(struct kt_inline_log *log, uint32_t i)
{
	return &log->writes[(log->first + i) % KT_INLINE_WRITES];
}

static const struct kt_inline_write *const_write_at(const struct kt_inline_log *log,
						    uint32_t i)
{
	return &log->writes[(log->first + i) % KT_INLINE_WRITES];
}

static void forget_oldest(struct kt_inline_log *log)
{
	log->first = (log->first + 1) % KT_INLINE_WRITES;
	log->n--;
}

/*
 * The words of one write lie together, so they may have to begin at 0 again. What lies
 * behind `end` is then the oldest.
 */
struct kt_inline_write *kt_inline_log_begin(struct kt_inline_log *log, uint64_t bytes)
{
	uint64_t words = bytes / 4 + (bytes % 4 != 0);
	uint32_t need = words < KT_INLINE_WORDS ? (uint32_t)words : KT_INLINE_WORDS;
	struct kt_inline_write *write;

	if (need > KT_INLINE_WORDS - log->end) {
		while (log->n && write_at(log, 0)->at >= log->end) {
			forget_oldest(log);
		}
		log->end = 0;
	}
	while (log->n &&
	       (log->n == KT_INLINE_WRITES || (write_at(log, 0)->at >= log->end &&
					       write_at(log, 0)->at < log->end + need))) {
		forget_oldest(log);
	}
	write = write_at(log, log->n++);
	memset(write, 0, sizeof(*write));
	write->at = log->end;
	return write;
}

void kt_inline_log_add(struct kt_inline_log *log, uint32_t word)
{
	struct kt_inline_write *write = write_at(log, log->n - 1);

	if (write->words < KT_INLINE_WORDS) {
		log->words[log->end++] = word;
		write->words++;
	}
}

void kt_inline_log_drop(struct kt_inline_log *log)
{
	log->end = write_at(log, log->n - 1)->at;
	log->n--;
}

/* One past the last address that a write may have reached. */
static uint64_t end_of(const struct kt_inline_write *write)
{
	uint64_t span = write->length;
	uint64_t end;

	if (write->lines > 1) {
		span += (uint64_t)(write->lines - 1) * write->pitch;
	}
	return __builtin_add_overflow(write->address, span, &end) ? UINT64_MAX : end;
}

/* Which byte of its data a write has put `distance` bytes behind its address; false: none.
 */
static bool byte_of(const struct kt_inline_write *write, uint64_t distance, uint64_t *byte)
{
	/* The last line that begins at or before it: later lines write over earlier ones.
	 */
	uint64_t line = write->lines - 1;

	if (write->pitch && distance / write->pitch < line) {
		line = distance / write->pitch;
	}
	distance -= line * write->pitch;
	*byte = line * write->length + distance;
	return distance < write->length;
}

enum byte_state { OPEN = 0, KNOWN, LOST };

struct window {
	uint64_t address;
	uint64_t bytes;
	uint64_t open;
	uint8_t state[KT_QMD_WORDS * 4];
	uint32_t *out;
};

/* Takes from a write what no newer one has written. */
static void look_into(struct window *window, const struct kt_inline_log *log,
		      const struct kt_inline_write *write)
{
	uint64_t end = end_of(write);
	uint64_t i =
		write->address > window->address ? write->address - window->address : 0;

	for (; i < window->bytes && window->address + i < end; i++) {
		uint64_t byte = 0;

		if (window->state[i] != OPEN ||
		    !byte_of(write, window->address + i - write->address, &byte)) {
			continue;
		}
		window->open--;
		window->state[i] = LOST;
		if (byte / 4 < write->words) {
			uint32_t word = log->words[write->at + byte / 4];

			window->state[i] = KNOWN;
			window->out[i / 4] |= (word >> byte % 4 * 8 & 0xff) << i % 4 * 8;
		}
	}
}

size_t kt_inline_log_read(const struct kt_inline_log *log, uint64_t address,
			  uint32_t out[static KT_QMD_WORDS])
{
	struct window window = {.address = address, .out = out};
	size_t n = 0;

	/* Addresses do not go round. */
	window.bytes =
		UINT64_MAX - address < sizeof(window.state) ? 0 : sizeof(window.state);
	window.open = window.bytes;
	memset(out, 0, sizeof(window.state));
	for (uint32_t i = log->n; i-- > 0 && window.open;) {
		const struct kt_inline_write *write = const_write_at(log, i);

		if (write->known && write->lines) {
			look_into(&window, log, write);
		}
	}
	while (n < window.bytes && window.state[n] == KNOWN) {
		n++;
	}
	return n / 4;
}

/* --- the methods --- */

static void describe(const struct kt_engine *engine, uint32_t launch,
		     struct kt_command *out)
{
	const uint32_t *registers = engine->registers;

	out->kind = KT_COMMAND_INLINE;
	out->class_number = engine->number;
	out->to = kt_command_join(registers[KT_REG_TO_UPPER], registers[KT_REG_TO_LOWER]);
	out->lines = registers[KT_REG_LINES];
	out->bytes = (uint64_t)registers[KT_REG_LENGTH] * out->lines;
	if (FIELD(COMPLETION_TYPE, launch) ==
	    KT_CBC0_LAUNCH_DMA__COMPLETION_TYPE__RELEASE_SEMAPHORE) {
		out->releases = true;
		out->address = kt_command_join(registers[KT_REG_DONE_UPPER],
					       registers[KT_REG_DONE_LOWER]);
		out->payload = registers[KT_REG_DONE_PAYLOAD];
		out->timestamp = FIELD(SEMAPHORE_STRUCT_SIZE, launch) ==
				 KT_CBC0_LAUNCH_DMA__SEMAPHORE_STRUCT_SIZE__FOUR_WORDS;
	}
}

static void give(struct kt_channel_decoder *decoder, struct kt_command *out)
{
	struct kt_inline_write *write = write_at(&decoder->log, decoder->log.n - 1);

	write->known = decoder->upload.linear;
	decoder->upload.active = false;
	*out = decoder->upload.command;
	out->data = decoder->log.words + write->at;
	out->data_words = write->words;
}

void kt_command_inline(struct kt_channel_decoder *decoder, unsigned subchannel,
		       uint32_t value, struct kt_command *out)
{
	const struct kt_engine *engine = &decoder->engines[subchannel];
	struct kt_upload *upload = &decoder->upload;
	struct kt_inline_write *write;

	if (upload->active) {
		kt_inline_log_drop(&decoder->log);
	}
	memset(upload, 0, sizeof(*upload));
	describe(engine, value, &upload->command);
	upload->active = true;
	upload->subchannel = (uint8_t)subchannel;
	upload->linear = FIELD(DST_MEMORY_LAYOUT, value) ==
				 KT_CBC0_LAUNCH_DMA__DST_MEMORY_LAYOUT__PITCH &&
			 !FIELD(REDUCTION_ENABLE, value);
	upload->left = upload->command.bytes / 4 + (upload->command.bytes % 4 != 0);
	write = kt_inline_log_begin(&decoder->log, upload->command.bytes);
	write->address = upload->command.to;
	write->length = engine->registers[KT_REG_LENGTH];
	write->lines = upload->command.lines;
	write->pitch = engine->registers[KT_REG_PITCH];
	if (!upload->left) {
		give(decoder, out);
	}
}

void kt_command_inline_data(struct kt_channel_decoder *decoder, unsigned subchannel,
			    uint32_t value, struct kt_command *out)
{
	struct kt_upload *upload = &decoder->upload;

	if (!upload->active || upload->subchannel != subchannel) {
		return;
	}
	kt_inline_log_add(&decoder->log, value);
	if (--upload->left == 0) {
		give(decoder, out);
	}
}
