/* SPDX-License-Identifier: MIT */
/* Decodes LAUNCH_DMA of the copy engine: a copy, a semaphore release, or both. */
#include "decode/command-state.h"

#include "decode/bits.h"
#include "decode/method-names.h"

#define FIELD(name, value) kt_bits_in(KT_C8B5_LAUNCH_DMA__##name, value)
#define REMAP(name, value) kt_bits_in(KT_C8B5_SET_REMAP_COMPONENTS__##name, value)

/*
 * Returns whether any component of an element at the destination is copied from the source,
 * that is, has a code from 0 to 3.
 */
static bool reads_source(uint32_t remap)
{
	const uint32_t from[4] = {
		REMAP(DST_X, remap),
		REMAP(DST_Y, remap),
		REMAP(DST_Z, remap),
		REMAP(DST_W, remap),
	};

	for (unsigned i = 0; i <= REMAP(NUM_DST_COMPONENTS, remap); i++) {
		if (from[i] <= KT_C8B5_SET_REMAP_COMPONENTS__DST_X__SRC_W) {
			return true;
		}
	}
	return false;
}

void kt_command_copy(const struct kt_engine *engine, uint32_t value, struct kt_command *out)
{
	const uint32_t *registers = engine->registers;
	uint32_t type = FIELD(DATA_TRANSFER_TYPE, value);
	uint32_t semaphore = FIELD(SEMAPHORE_TYPE, value);
	uint32_t remap = registers[KT_REG_REMAP];
	bool remapped = FIELD(REMAP_ENABLE, value);
	/*
	 * Bytes of an element at the destination. If components are remapped, KT_REG_LENGTH
	 * counts elements.
	 */
	uint32_t element =
		(REMAP(COMPONENT_SIZE, remap) + 1) * (REMAP(NUM_DST_COMPONENTS, remap) + 1);

	/* Other types copy nothing: 0 means no copy, 3 is a prefetch or undefined. */
	if (type == KT_C8B5_LAUNCH_DMA__DATA_TRANSFER_TYPE__PIPELINED ||
	    type == KT_C8B5_LAUNCH_DMA__DATA_TRANSFER_TYPE__NON_PIPELINED) {
		bool filled = FIELD(MEMORY_SCRUB_ENABLE, value) ||
			      (remapped && !reads_source(remap));

		out->kind = KT_COMMAND_COPY;
		out->to = kt_command_join(registers[KT_REG_TO_UPPER],
					  registers[KT_REG_TO_LOWER]);
		out->filled = filled;
		if (!filled) {
			out->from = kt_command_join(registers[KT_REG_FROM_UPPER],
						    registers[KT_REG_FROM_LOWER]);
		}
		out->lines = FIELD(MULTI_LINE_ENABLE, value) ? registers[KT_REG_LINES] : 1;
		out->bytes = (uint64_t)registers[KT_REG_LENGTH] * out->lines;
		if (remapped && __builtin_mul_overflow(out->bytes, element, &out->bytes)) {
			out->bytes = UINT64_MAX;
		}
	} else if (semaphore != KT_C8B5_LAUNCH_DMA__SEMAPHORE_TYPE__NONE) {
		out->kind = KT_COMMAND_RELEASE;
	} else {
		return;
	}
	out->class_number = engine->number;
	if (semaphore != KT_C8B5_LAUNCH_DMA__SEMAPHORE_TYPE__NONE) {
		out->releases = true;
		out->address = kt_command_join(registers[KT_REG_DONE_UPPER],
					       registers[KT_REG_DONE_LOWER]);
		out->payload = registers[KT_REG_DONE_PAYLOAD];
		if (FIELD(SEMAPHORE_PAYLOAD_SIZE, value)) {
			out->payload |= (uint64_t)registers[KT_REG_DONE_PAYLOAD_UPPER]
					<< 32;
		}
		out->timestamp =
			semaphore ==
			KT_C8B5_LAUNCH_DMA__SEMAPHORE_TYPE__RELEASE_FOUR_WORD_SEMAPHORE;
		out->semaphore_bytes = out->timestamp                         ? 16
				       : FIELD(SEMAPHORE_PAYLOAD_SIZE, value) ? 8
									      : 4;
	}
}
