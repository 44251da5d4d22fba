/* SPDX-License-Identifier: MIT */
/*
 * Decodes kernel launches. Either the command stream contains the QMD, or the QMD was
 * written to memory before (often as inline data) and its address is sent to the scheduler
 * (PCAS).
 */
#include "decode/command-state.h"

#include <string.h>

#include "decode/bits.h"
#include "decode/method-names.h"
#include "decode/qmd.h"

/*
 * The bit that selects a QMD of 384 instead of 256 bytes. In classes before 0xcbc0, the
 * mask of the register (command-table.c) clears this bit.
 */
#define IS_WIDE(engine)                                                                    \
	kt_bits_in(KT_CBC0_SET_INLINE_QMD_ADDRESS_A__INLINE_SIZE,                          \
		   (engine)->registers[KT_REG_QMD_UPPER])

/* --- QMDs without a program --- */

void kt_command_forget_empty_grids(struct kt_channel_decoder *decoder, uint64_t from,
				   uint64_t end)
{
	for (size_t i = 0; decoder->next_empty_grid && i < KT_EMPTY_GRIDS; i++) {
		uint64_t *address = &decoder->empty_grids[i];

		if (*address && (from <= *address ? *address < end
						  : from - *address < KT_QMD_WORDS * 4)) {
			*address = 0;
		}
	}
}

/*
 * Sets out->kind by the contents of the QMD. If the contents are unknown, the QMD is an
 * empty grid if the last known QMD at its address was one.
 */
static void classify(struct kt_channel_decoder *decoder, struct kt_command *out)
{
	const struct kt_qmd_layout *layout =
		out->qmd ? kt_qmd_find(out->class_number, out->qmd, out->qmd_bytes) : NULL;
	struct kt_qmd_launch launch;

	out->kind = KT_COMMAND_LAUNCH;
	for (size_t i = 0; !out->qmd && out->address && i < KT_EMPTY_GRIDS; i++) {
		if (decoder->empty_grids[i] == out->address) {
			out->kind = KT_COMMAND_EMPTY_GRID;
		}
	}
	if (!layout) {
		return;
	}
	kt_command_forget_empty_grids(decoder, out->address, out->address + 1);
	kt_qmd_launch(layout, out->qmd, out->qmd_bytes, &launch);
	if (!launch.program && !launch.program_is_offset) {
		out->kind = KT_COMMAND_EMPTY_GRID;
		decoder->empty_grids[decoder->next_empty_grid++ % KT_EMPTY_GRIDS] =
			out->address;
	}
}

void kt_command_inline_qmd(struct kt_channel_decoder *decoder, struct kt_engine *engine,
			   unsigned offset, uint32_t value, struct kt_command *out)
{
	size_t index = (offset - KT_CBC0_LOAD_INLINE_QMD_DATA) / 4;
	size_t words = IS_WIDE(engine) ? KT_QMD_WORDS : KT_QMD_MIN_WORDS;
	uint32_t upper = engine->registers[KT_REG_QMD_UPPER] & 0xffffff;
	struct kt_inline_write *write;

	engine->qmd[index] = value;
	if (index + 1 != words) {
		return;
	}
	memcpy(decoder->qmd, engine->qmd, words * 4);
	out->class_number = engine->number;
	out->inlined = true;
	out->address = kt_command_join(upper, engine->registers[KT_REG_QMD_LOWER]) << 8;
	out->qmd = decoder->qmd;
	out->qmd_bytes = words * 4;
	kt_command_forget_empty_grids(decoder, out->address, out->address + words * 4);
	classify(decoder, out);
	/*
	 * Do not log the QMD during an inline write: a write in progress must stay the
	 * newest one in the log.
	 */
	if (decoder->upload.active) {
		return;
	}
	/*
	 * Log the QMD: the engine stores it in memory, so later commands can send it again
	 * by its address.
	 */
	write = kt_inline_log_begin(&decoder->log, words * 4);
	write->address = out->address;
	write->length = (uint32_t)words * 4;
	write->lines = 1;
	for (size_t i = 0; i < words; i++) {
		kt_inline_log_add(&decoder->log, engine->qmd[i]);
	}
	kt_inline_log_end(&decoder->log, true);
}

/* Returns whether this value of SEND_SIGNALING_PCAS2_B schedules the QMD. */
static bool schedules(uint32_t value)
{
	switch (kt_bits_in(KT_CBC0_SEND_SIGNALING_PCAS2_B__PCAS_ACTION, value)) {
	case KT_CBC0_SEND_SIGNALING_PCAS2_B__PCAS_ACTION__SCHEDULE:
	case KT_CBC0_SEND_SIGNALING_PCAS2_B__PCAS_ACTION__INVALIDATE_COPY_SCHEDULE:
	case KT_CBC0_SEND_SIGNALING_PCAS2_B__PCAS_ACTION__PREFETCH_SCHEDULE:
	case KT_CBC0_SEND_SIGNALING_PCAS2_B__PCAS_ACTION__INVALIDATE_PREFETCH_COPY_SCHEDULE:
	case KT_CBC0_SEND_SIGNALING_PCAS2_B__PCAS_ACTION__INVALIDATE_PREFETCH_COPY_FORCE_REQUIRE_SCHEDULING:
		return true;
	default: return false;
	}
}

void kt_command_pcas(struct kt_channel_decoder *decoder, const struct kt_engine *engine,
		     unsigned code, uint32_t value, struct kt_command *out)
{
	uint64_t address = (uint64_t)engine->registers[KT_REG_PCAS] << 8;
	size_t words;

	/*
	 * Without scheduling there is no launch. SEND_PCAS_B has no field SCHEDULE, and is
	 * assumed to schedule the QMD.
	 */
	if ((code == KT_DO_SIGNALING_PCAS &&
	     !kt_bits_in(KT_CBC0_SEND_SIGNALING_PCAS_B__SCHEDULE, value)) ||
	    (code == KT_DO_SIGNALING_PCAS2 && !schedules(value))) {
		return;
	}
	out->class_number = engine->number;
	out->address = address;
	words = kt_inline_log_read(&decoder->log, address, decoder->qmd);
	if (words >= KT_QMD_MIN_WORDS) {
		out->qmd = decoder->qmd;
		out->qmd_bytes = words * 4;
	}
	classify(decoder, out);
}

const uint32_t *kt_launch_arguments(const struct kt_decoded *decoded, uint64_t *address,
				    size_t *bytes)
{
	const struct kt_command *c = &decoded->command;
	const struct kt_qmd_layout *layout =
		c->kind == KT_COMMAND_LAUNCH && c->qmd
			? kt_qmd_find(c->class_number, c->qmd, c->qmd_bytes)
			: NULL;
	const uint32_t offset = kt_qmd_arguments(c->class_number);
	struct kt_qmd_launch launch;

	if (!layout || !offset) {
		return NULL;
	}
	kt_qmd_launch(layout, c->qmd, c->qmd_bytes, &launch);
	if (launch.constant_bytes[0] <= offset) {
		return NULL;
	}
	*address = launch.constants[0] + offset;
	return kt_inline_log_find(&decoded->decoder->log, *address, bytes);
}
