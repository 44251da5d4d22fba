/* SPDX-License-Identifier: MIT */
#include "collect/preload/instructions/relocate.h"

#include <Zydis/Zydis.h>
#include <stdbool.h>
#include <string.h>

#define JUMP_BYTES        5
#define CONDITIONAL_BYTES 6

static ZydisDecoder decoder;

void kt_relocate_init(void)
{
	ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
}

/* The 32 bits that reach `target` from code that ends at `end`. false: too far. */
static bool put_distance(uint8_t *out, uintptr_t end, uintptr_t target)
{
	int64_t distance = (int64_t)(target - end);
	int32_t narrow = (int32_t)distance;

	memcpy(out, &narrow, sizeof(narrow));
	return narrow == distance;
}

size_t kt_relocate_jump(uint8_t out[static 5], uintptr_t from, uintptr_t to)
{
	out[0] = 0xe9;
	return put_distance(out + 1, from + JUMP_BYTES, to) ? JUMP_BYTES : 0;
}

size_t kt_relocate(uint8_t out[static KT_RELOCATED_MAX], uintptr_t to, const uint8_t *code,
		   size_t n, uintptr_t from, size_t *length)
{
	ZydisDecodedInstruction i;
	uintptr_t target;
	bool is_near;
	bool is_short;

	if (!ZYAN_SUCCESS(ZydisDecoderDecodeInstruction(&decoder, NULL, code, n, &i))) {
		return 0;
	}
	switch (i.meta.category) {
	case ZYDIS_CATEGORY_CALL:
	case ZYDIS_CATEGORY_INTERRUPT:
	case ZYDIS_CATEGORY_SYSCALL:
	case ZYDIS_CATEGORY_SYSRET:
	case ZYDIS_CATEGORY_SYSTEM: return 0;
	default: break;
	}
	*length = i.length;
	if (!(i.attributes & ZYDIS_ATTRIB_IS_RELATIVE)) {
		memcpy(out, code, i.length);
		return i.length;
	}
	if (i.raw.imm[0].is_relative) {
		/* Zydis knows branches of a processor that never ran this. */
		if (i.encoding != ZYDIS_INSTRUCTION_ENCODING_LEGACY) {
			return 0;
		}
		if (i.attributes & ZYDIS_ATTRIB_HAS_OPERANDSIZE) {
			return 0;
		}
		target = from + i.length + (uint64_t)i.raw.imm[0].value.s;
		if (i.meta.category == ZYDIS_CATEGORY_UNCOND_BR) {
			return kt_relocate_jump(out, to, target);
		}
		is_near = i.opcode_map == ZYDIS_OPCODE_MAP_0F && i.opcode >> 4 == 8;
		is_short = i.opcode_map == ZYDIS_OPCODE_MAP_DEFAULT && i.opcode >> 4 == 7;
		if (!is_near && !is_short) {
			return 0;
		}
		out[0] = 0x0f;
		out[1] = 0x80 | (i.opcode & 15);
		return put_distance(out + 2, to + CONDITIONAL_BYTES, target)
			       ? CONDITIONAL_BYTES
			       : 0;
	}
	/* An operand that is named by its distance from the instruction's end. */
	target = from + i.length + (uint64_t)i.raw.disp.value;
	if (i.raw.disp.size != 32) {
		return 0;
	}
	memcpy(out, code, i.length);
	return put_distance(out + i.raw.disp.offset, to + i.length, target) ? i.length : 0;
}

enum kt_flow kt_relocate_flow(const uint8_t *code, size_t n)
{
	ZydisDecodedInstruction i;

	if (!ZYAN_SUCCESS(ZydisDecoderDecodeInstruction(&decoder, NULL, code, n, &i))) {
		return KT_FLOW_ENDS;
	}
	switch (i.meta.category) {
	case ZYDIS_CATEGORY_UNCOND_BR:
	case ZYDIS_CATEGORY_RET: return KT_FLOW_ENDS;
	case ZYDIS_CATEGORY_NOP:
	case ZYDIS_CATEGORY_WIDENOP: return KT_FLOW_FILLER;
	default: return i.mnemonic == ZYDIS_MNEMONIC_UD2 ? KT_FLOW_ENDS : KT_FLOW_ON;
	}
}
