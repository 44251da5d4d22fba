/* SPDX-License-Identifier: MIT */
#include "tests/kernel/store-oracle.h"

#include <Zydis/Zydis.h>
#include <string.h>

struct decoded {
	ZydisDecodedInstruction instruction;
	ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
	ZydisMachineMode mode;
};

/*
 * In this form, the address has no base. Zydis 4.0 takes r13d for the base and loses the
 * displacement.
 */
static bool is_mistaken(const ZydisDecodedInstruction *instruction)
{
	return instruction->address_width == 32 && instruction->raw.rex.B &&
	       !instruction->raw.modrm.mod && instruction->raw.modrm.rm == 4 &&
	       instruction->raw.sib.base == 5;
}

static bool decode(struct decoded *out, const uint8_t *code, size_t n, unsigned bits)
{
	ZydisDecoder decoder;

	out->mode = bits == 64 ? ZYDIS_MACHINE_MODE_LONG_64 : ZYDIS_MACHINE_MODE_LEGACY_32;
	ZydisDecoderInit(&decoder, out->mode,
			 bits == 64 ? ZYDIS_STACK_WIDTH_64 : ZYDIS_STACK_WIDTH_32);
	return ZYAN_SUCCESS(ZydisDecoderDecodeFull(&decoder, code, n, &out->instruction,
						   out->operands)) &&
	       !is_mistaken(&out->instruction) &&
	       out->instruction.meta.isa_ext != ZYDIS_ISA_EXT_KNC && /* KNC is not x86-64 */
	       out->instruction.meta.isa_ext != ZYDIS_ISA_EXT_KNCE &&
	       out->instruction.meta.isa_ext != ZYDIS_ISA_EXT_KNCV;
}

/* Returns the number of the general register that contains `reg`, or -1. */
static int number_of(const struct decoded *decoded, ZydisRegister reg)
{
	ZydisRegister wide = ZydisRegisterGetLargestEnclosing(decoded->mode, reg);

	if (wide >= ZYDIS_REGISTER_RAX && wide <= ZYDIS_REGISTER_R15) {
		return wide - ZYDIS_REGISTER_RAX;
	}
	if (wide >= ZYDIS_REGISTER_EAX && wide <= ZYDIS_REGISTER_R15D) {
		return wide - ZYDIS_REGISTER_EAX;
	}
	return -1;
}

static uint64_t value_of(const struct decoded *decoded, ZydisRegister reg,
			 const struct dw_store_registers *registers)
{
	int number = number_of(decoded, reg);

	if (reg == ZYDIS_REGISTER_RIP || reg == ZYDIS_REGISTER_EIP) {
		return registers->ip;
	}
	return number < 0 ? 0 : registers->general[number];
}

static bool is_string(const ZydisDecodedInstruction *instruction)
{
	switch (instruction->mnemonic) {
	case ZYDIS_MNEMONIC_STOSB:
	case ZYDIS_MNEMONIC_STOSW:
	case ZYDIS_MNEMONIC_STOSD:
	case ZYDIS_MNEMONIC_STOSQ:
	case ZYDIS_MNEMONIC_MOVSB:
	case ZYDIS_MNEMONIC_MOVSW:
	case ZYDIS_MNEMONIC_MOVSQ: return true;
	case ZYDIS_MNEMONIC_MOVSD:
		return instruction->meta.category == ZYDIS_CATEGORY_STRINGOP;
	default: return false;
	}
}

/*
 * Returns whether the instruction also writes a register that its address uses. pop is
 * exempt, because it increments rsp before it computes the address.
 */
static bool is_moved(const struct decoded *decoded, const ZydisDecodedOperand *memory)
{
	for (unsigned i = 0; i < decoded->instruction.operand_count; i++) {
		const ZydisDecodedOperand *op = &decoded->operands[i];
		int number;

		if (decoded->instruction.mnemonic == ZYDIS_MNEMONIC_POP ||
		    op->type != ZYDIS_OPERAND_TYPE_REGISTER ||
		    !(op->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE)) {
			continue;
		}
		number = number_of(decoded, op->reg.value);
		if (number >= 0 && (number == number_of(decoded, memory->mem.base) ||
				    number == number_of(decoded, memory->mem.index))) {
			return true;
		}
	}
	return false;
}

static void find_target(struct kt_stored *out, const struct decoded *decoded,
			const ZydisDecodedOperand *memory,
			const struct dw_store_registers *registers)
{
	ZydisRegister segment = memory->mem.segment;
	unsigned width = decoded->instruction.address_width;

	out->size = memory->size / 8;
	out->placed = memory->mem.type == ZYDIS_MEMOP_TYPE_MEM ||
		      decoded->instruction.mnemonic == ZYDIS_MNEMONIC_MOVDIR64B;
	out->placed = out->placed && segment != ZYDIS_REGISTER_FS &&
		      segment != ZYDIS_REGISTER_GS && width > 16;
	out->to = value_of(decoded, memory->mem.base, registers) +
		  value_of(decoded, memory->mem.index, registers) * memory->mem.scale;
	if (memory->mem.disp.has_displacement) {
		out->to += (uint64_t)memory->mem.disp.value;
	}
	if (is_string(&decoded->instruction)) {
		out->to += registers->flags & 0x400 ? out->size : (uint64_t)0 - out->size;
	} else {
		out->placed = out->placed && !is_moved(decoded, memory);
	}
	if (width < 64) {
		out->to = (uint32_t)out->to;
	}
}

static uint64_t swap(uint64_t value, uint64_t size)
{
	return size == 8   ? __builtin_bswap64(value)
	       : size == 4 ? __builtin_bswap32((uint32_t)value)
			   : __builtin_bswap16((uint16_t)value);
}

static void find_value(struct kt_stored *out, const struct decoded *decoded,
		       const struct dw_store_registers *registers)
{
	const ZydisDecodedOperand *source = &decoded->operands[1];
	ZydisMnemonic mnemonic = decoded->instruction.mnemonic;

	switch (mnemonic) {
	case ZYDIS_MNEMONIC_MOV:
	case ZYDIS_MNEMONIC_MOVNTI:
	case ZYDIS_MNEMONIC_MOVDIRI:
	case ZYDIS_MNEMONIC_MOVBE:
	case ZYDIS_MNEMONIC_STOSD:
	case ZYDIS_MNEMONIC_STOSQ: break;
	default: return;
	}
	if (source->type == ZYDIS_OPERAND_TYPE_IMMEDIATE) {
		out->known = true;
		out->value = source->imm.value.u;
		return;
	}
	out->known = number_of(decoded, source->reg.value) >= 0;
	out->value = value_of(decoded, source->reg.value, registers);
	if (mnemonic == ZYDIS_MNEMONIC_MOVBE) {
		out->value = swap(out->value, out->size);
	}
}

static bool is_system(const ZydisDecodedInstruction *instruction)
{
	switch (instruction->meta.category) {
	case ZYDIS_CATEGORY_CALL:
	case ZYDIS_CATEGORY_PUSH:
	case ZYDIS_CATEGORY_INTERRUPT:
	case ZYDIS_CATEGORY_SYSCALL:
	case ZYDIS_CATEGORY_SYSTEM:
	case ZYDIS_CATEGORY_VTX:
	case ZYDIS_CATEGORY_MPX:
	case ZYDIS_CATEGORY_CET:
	case ZYDIS_CATEGORY_IOSTRINGOP:
	case ZYDIS_CATEGORY_AMX_TILE:
	case ZYDIS_CATEGORY_PADLOCK:
	case ZYDIS_CATEGORY_KEYLOCKER:
	case ZYDIS_CATEGORY_KEYLOCKER_WIDE: return true;
	default: return instruction->mnemonic == ZYDIS_MNEMONIC_ENTER;
	}
}

void kt_store_oracle(struct kt_stored *out, const uint8_t *code, size_t n,
		     const struct dw_store_registers *registers)
{
	struct decoded decoded;

	memset(out, 0, sizeof(*out));
	if (!decode(&decoded, code, n, registers->bits)) {
		return;
	}
	out->length = decoded.instruction.length;
	out->system = is_system(&decoded.instruction);
	for (unsigned i = 0; i < decoded.instruction.operand_count; i++) {
		const ZydisDecodedOperand *op = &decoded.operands[i];

		if (op->type == ZYDIS_OPERAND_TYPE_MEMORY &&
		    op->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE) {
			out->stores = true;
			find_target(out, &decoded, op, registers);
			find_value(out, &decoded, registers);
			return;
		}
	}
}
