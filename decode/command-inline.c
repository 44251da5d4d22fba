/* SPDX-License-Identifier: MIT */
/*
 * Decodes inline data: LAUNCH_DMA sets the destination, LOAD_INLINE_DATA carries the data.
 * A log keeps the data, since a launch may refer to a QMD that was written as inline data.
 */
#include "decode/command-state.h"

#include <string.h>

#include "decode/bits.h"
#include "decode/method-names.h"

#define FIELD(name, value) kt_bits_in(KT_CBC0_LAUNCH_DMA__##name, value)

static void give(struct kt_channel_decoder *decoder, struct kt_command *out)
{
	const struct kt_inline_write *write =
		kt_inline_log_end(&decoder->log, decoder->upload.linear);

	decoder->upload.active = false;
	*out = decoder->upload.command;
	/*
	 * For several lines, or if the end would wrap around, the end is not computed:
	 * assume that the write reaches the end of the address space.
	 */
	kt_command_forget_empty_grids(decoder, out->to,
				      out->lines > 1 || out->bytes > UINT64_MAX - out->to
					      ? UINT64_MAX
					      : out->to + out->bytes);
	out->data = decoder->log.words + write->at;
	out->data_words = write->words;
}

void kt_command_inline(struct kt_channel_decoder *decoder, unsigned subchannel,
		       uint32_t value, struct kt_command *out)
{
	const struct kt_engine *engine = &decoder->engines[subchannel];
	const uint32_t *registers = engine->registers;
	struct kt_upload *upload = &decoder->upload;
	struct kt_command *command = &upload->command;
	struct kt_inline_write *write;

	if (upload->active) {
		kt_inline_log_drop(&decoder->log);
	}
	memset(upload, 0, sizeof(*upload));
	command->kind = KT_COMMAND_INLINE;
	command->class_number = engine->number;
	command->to =
		kt_command_join(registers[KT_REG_TO_UPPER], registers[KT_REG_TO_LOWER]);
	command->lines = registers[KT_REG_LINES];
	command->bytes = (uint64_t)registers[KT_REG_LENGTH] * command->lines;
	if (FIELD(COMPLETION_TYPE, value) ==
	    KT_CBC0_LAUNCH_DMA__COMPLETION_TYPE__RELEASE_SEMAPHORE) {
		command->releases = true;
		command->address = kt_command_join(registers[KT_REG_DONE_UPPER],
						   registers[KT_REG_DONE_LOWER]);
		command->payload = registers[KT_REG_DONE_PAYLOAD];
		command->timestamp = FIELD(SEMAPHORE_STRUCT_SIZE, value) ==
				     KT_CBC0_LAUNCH_DMA__SEMAPHORE_STRUCT_SIZE__FOUR_WORDS;
		command->semaphore_bytes = command->timestamp ? 16 : 4;
	}
	upload->active = true;
	upload->subchannel = (uint8_t)subchannel;
	upload->linear = FIELD(DST_MEMORY_LAYOUT, value) ==
				 KT_CBC0_LAUNCH_DMA__DST_MEMORY_LAYOUT__PITCH &&
			 !FIELD(REDUCTION_ENABLE, value);
	upload->left = command->bytes / 4 + (command->bytes % 4 != 0);
	write = kt_inline_log_begin(&decoder->log, command->bytes);
	write->address = command->to;
	write->length = registers[KT_REG_LENGTH];
	write->lines = command->lines;
	write->pitch = registers[KT_REG_PITCH];
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

void kt_channel_decoder_forget(struct kt_channel_decoder *decoder, uint64_t address,
			       uint64_t bytes)
{
	uint64_t end;

	if (decoder->upload.active) {
		kt_inline_log_drop(&decoder->log);
		decoder->upload.active = false;
	}
	if (__builtin_add_overflow(address, bytes, &end)) {
		end = UINT64_MAX;
	}
	kt_command_forget_empty_grids(decoder, address, end);
	kt_inline_log_lose(&decoder->log, address, end - address);
}

size_t kt_channel_decoder_memory(const struct kt_channel_decoder *decoder, uint64_t address,
				 uint32_t out[static KT_QMD_MOST_WORDS])
{
	return kt_inline_log_read(&decoder->log, address, out);
}
