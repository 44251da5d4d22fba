/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "collect/preload/instructions/instruction.h"

#include <Zydis/Zydis.h>
#include <string.h>

#include "collect/preload/instructions/guard.h"

enum { SIGNED = 1, SWAPPED = 2, ALIGNED = 4, HIGH_LANE = 8, LOW_LANE = 16 };

/*
 * Emulated mnemonics, with the action if memory is the first operand. If memory is the
 * second operand, understand_general() replaces the action or refuses the instruction.
 */
static const struct {
	uint16_t mnemonic;
	uint8_t action;
	uint8_t traits;
} general[] = {
	{ZYDIS_MNEMONIC_MOV, KT_STORE, 0},
	{ZYDIS_MNEMONIC_MOVNTI, KT_STORE, 0},
	{ZYDIS_MNEMONIC_MOVDIRI, KT_STORE, 0},
	{ZYDIS_MNEMONIC_MOVBE, KT_STORE, SWAPPED},
	{ZYDIS_MNEMONIC_MOVZX, KT_STORE, 0},
	{ZYDIS_MNEMONIC_MOVSX, KT_STORE, SIGNED},
	{ZYDIS_MNEMONIC_MOVSXD, KT_STORE, SIGNED},
	{ZYDIS_MNEMONIC_ADD, KT_ADD_TO, 0},
	{ZYDIS_MNEMONIC_OR, KT_OR_TO, 0},
	{ZYDIS_MNEMONIC_ADC, KT_ADC_TO, 0},
	{ZYDIS_MNEMONIC_SBB, KT_SBB_TO, 0},
	{ZYDIS_MNEMONIC_AND, KT_AND_TO, 0},
	{ZYDIS_MNEMONIC_SUB, KT_SUB_TO, 0},
	{ZYDIS_MNEMONIC_XOR, KT_XOR_TO, 0},
	{ZYDIS_MNEMONIC_CMP, KT_CMP_TO, 0},
	{ZYDIS_MNEMONIC_TEST, KT_TEST, 0},
	{ZYDIS_MNEMONIC_XCHG, KT_XCHG, 0},
	{ZYDIS_MNEMONIC_XADD, KT_XADD, 0},
	{ZYDIS_MNEMONIC_CMPXCHG, KT_CMPXCHG, 0},
	{ZYDIS_MNEMONIC_INC, KT_INC, 0},
	{ZYDIS_MNEMONIC_DEC, KT_DEC, 0},
	{ZYDIS_MNEMONIC_NEG, KT_NEG, 0},
	{ZYDIS_MNEMONIC_NOT, KT_NOT, 0},
};

static const struct {
	uint16_t mnemonic;
	uint8_t action;
	uint8_t width;
} strings[] = {
	{ZYDIS_MNEMONIC_MOVSB, KT_MOVS, 1}, {ZYDIS_MNEMONIC_MOVSW, KT_MOVS, 2},
	{ZYDIS_MNEMONIC_MOVSD, KT_MOVS, 4}, {ZYDIS_MNEMONIC_MOVSQ, KT_MOVS, 8},
	{ZYDIS_MNEMONIC_STOSB, KT_STOS, 1}, {ZYDIS_MNEMONIC_STOSW, KT_STOS, 2},
	{ZYDIS_MNEMONIC_STOSD, KT_STOS, 4}, {ZYDIS_MNEMONIC_STOSQ, KT_STOS, 8},
	{ZYDIS_MNEMONIC_LODSB, KT_LODS, 1}, {ZYDIS_MNEMONIC_LODSW, KT_LODS, 2},
	{ZYDIS_MNEMONIC_LODSD, KT_LODS, 4}, {ZYDIS_MNEMONIC_LODSQ, KT_LODS, 8},
};

static const struct {
	uint16_t mnemonic;
	uint8_t traits;
} vectors[] = {
	{ZYDIS_MNEMONIC_MOVUPS, 0},
	{ZYDIS_MNEMONIC_VMOVUPS, 0},
	{ZYDIS_MNEMONIC_MOVUPD, 0},
	{ZYDIS_MNEMONIC_VMOVUPD, 0},
	{ZYDIS_MNEMONIC_MOVDQU, 0},
	{ZYDIS_MNEMONIC_VMOVDQU, 0},
	{ZYDIS_MNEMONIC_VMOVDQU8, 0},
	{ZYDIS_MNEMONIC_VMOVDQU16, 0},
	{ZYDIS_MNEMONIC_VMOVDQU32, 0},
	{ZYDIS_MNEMONIC_VMOVDQU64, 0},
	{ZYDIS_MNEMONIC_LDDQU, 0},
	{ZYDIS_MNEMONIC_VLDDQU, 0},
	{ZYDIS_MNEMONIC_MOVAPS, ALIGNED},
	{ZYDIS_MNEMONIC_VMOVAPS, ALIGNED},
	{ZYDIS_MNEMONIC_MOVAPD, ALIGNED},
	{ZYDIS_MNEMONIC_VMOVAPD, ALIGNED},
	{ZYDIS_MNEMONIC_MOVDQA, ALIGNED},
	{ZYDIS_MNEMONIC_VMOVDQA, ALIGNED},
	{ZYDIS_MNEMONIC_VMOVDQA32, ALIGNED},
	{ZYDIS_MNEMONIC_VMOVDQA64, ALIGNED},
	{ZYDIS_MNEMONIC_MOVNTDQ, ALIGNED},
	{ZYDIS_MNEMONIC_VMOVNTDQ, ALIGNED},
	{ZYDIS_MNEMONIC_MOVNTPS, ALIGNED},
	{ZYDIS_MNEMONIC_VMOVNTPS, ALIGNED},
	{ZYDIS_MNEMONIC_MOVNTPD, ALIGNED},
	{ZYDIS_MNEMONIC_VMOVNTPD, ALIGNED},
	{ZYDIS_MNEMONIC_MOVNTDQA, ALIGNED},
	{ZYDIS_MNEMONIC_VMOVNTDQA, ALIGNED},
	{ZYDIS_MNEMONIC_MOVD, 0},
	{ZYDIS_MNEMONIC_VMOVD, 0},
	{ZYDIS_MNEMONIC_MOVQ, 0},
	{ZYDIS_MNEMONIC_VMOVQ, 0},
	{ZYDIS_MNEMONIC_MOVSS, 0},
	{ZYDIS_MNEMONIC_VMOVSS, 0},
	{ZYDIS_MNEMONIC_MOVSD, 0},
	{ZYDIS_MNEMONIC_VMOVSD, 0},
	{ZYDIS_MNEMONIC_MOVLPS, LOW_LANE},
	{ZYDIS_MNEMONIC_VMOVLPS, LOW_LANE},
	{ZYDIS_MNEMONIC_MOVLPD, LOW_LANE},
	{ZYDIS_MNEMONIC_VMOVLPD, LOW_LANE},
	{ZYDIS_MNEMONIC_MOVHPS, HIGH_LANE},
	{ZYDIS_MNEMONIC_VMOVHPS, HIGH_LANE},
	{ZYDIS_MNEMONIC_MOVNTSS, 0},
	{ZYDIS_MNEMONIC_MOVNTSD, 0},
	{ZYDIS_MNEMONIC_MOVHPD, HIGH_LANE},
	{ZYDIS_MNEMONIC_VMOVHPD, HIGH_LANE},
};

/* An instruction during decoding. */
struct decoded {
	ZydisDecodedInstruction instruction;
	ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
};

static ZydisDecoder decoder;

void kt_instruction_init(void)
{
	ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
	kt_registers_init();
}

/* --- operands --- */

static bool get_general(ZydisRegister reg, uint8_t *number)
{
	ZydisRegister wide =
		ZydisRegisterGetLargestEnclosing(ZYDIS_MACHINE_MODE_LONG_64, reg);

	if (wide < ZYDIS_REGISTER_RAX || wide > ZYDIS_REGISTER_R15) {
		return false;
	}
	*number = (uint8_t)(wide - ZYDIS_REGISTER_RAX);
	return true;
}

static bool get_vector(const ZydisDecodedOperand *op, uint8_t *number)
{
	ZydisRegister reg = op->reg.value;

	if (op->type != ZYDIS_OPERAND_TYPE_REGISTER || reg < ZYDIS_REGISTER_XMM0 ||
	    reg > ZYDIS_REGISTER_ZMM31) {
		return false;
	}
	*number = (uint8_t)((reg - ZYDIS_REGISTER_XMM0) % 32);
	return true;
}

static bool get_memory(struct kt_instruction *out, const ZydisDecodedOperand *op)
{
	ZydisRegister base = op->mem.base;

	if (op->mem.type != ZYDIS_MEMOP_TYPE_MEM) {
		return false;
	}
	out->width = (uint8_t)(op->size / 8);
	out->writes = op->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE;
	out->displacement = op->mem.disp.value;
	out->scale = op->mem.scale;
	if (op->mem.segment == ZYDIS_REGISTER_FS || op->mem.segment == ZYDIS_REGISTER_GS) {
		out->segment = op->mem.segment == ZYDIS_REGISTER_FS ? 'f' : 'g';
	}
	if (base == ZYDIS_REGISTER_RIP || base == ZYDIS_REGISTER_EIP) {
		out->base = KT_REGISTER_RIP;
	} else if (base != ZYDIS_REGISTER_NONE && !get_general(base, &out->base)) {
		return false;
	}
	return op->mem.index == ZYDIS_REGISTER_NONE ||
	       get_general(op->mem.index, &out->index);
}

/* Gets the operand that is not the memory operand: an immediate or a general register. */
static bool get_source(struct kt_instruction *out, const ZydisDecodedOperand *op)
{
	ZydisRegister reg = op->reg.value;

	if (op->type == ZYDIS_OPERAND_TYPE_IMMEDIATE) {
		out->has_immediate = true;
		out->immediate = op->imm.value.u;
		return true;
	}
	if (op->type != ZYDIS_OPERAND_TYPE_REGISTER ||
	    !get_general(reg, &out->part.number)) {
		return false;
	}
	out->part.size = (uint8_t)(op->size / 8);
	out->part.shift = reg >= ZYDIS_REGISTER_AH && reg <= ZYDIS_REGISTER_BH ? 8 : 0;
	return true;
}

/* --- forms --- */

static bool understand_general(struct kt_instruction *out, const struct decoded *d,
			       size_t i)
{
	const ZydisDecodedInstruction *in = &d->instruction;
	bool memory_first = d->operands[0].type == ZYDIS_OPERAND_TYPE_MEMORY;
	unsigned action;

	if (in->encoding != ZYDIS_INSTRUCTION_ENCODING_LEGACY ||
	    !get_memory(out, &d->operands[!memory_first])) {
		return false;
	}
	if (out->width != 1 && out->width != 2 && out->width != 4 && out->width != 8) {
		return false;
	}
	out->form = KT_FORM_GENERAL;
	out->extends_sign = general[i].traits & SIGNED;
	out->swaps = general[i].traits & SWAPPED;
	action = general[i].action;
	if (!memory_first) { /* a register is the first operand, so it is written */
		if (action == KT_STORE) {
			action = KT_LOAD;
		} else if (action == KT_CMP_TO) {
			action = KT_CMP_FROM;
		} else if (action >= KT_ADD_TO && action <= KT_XOR_TO) {
			action = action - KT_ADD_TO + KT_ADD_FROM;
		} else {
			return false;
		}
	}
	if ((in->attributes & ZYDIS_ATTRIB_HAS_LOCK) && action != KT_XCHG) {
		action = action >= KT_INC ? KT_LOCKED + 9 + (action - KT_INC)
					  : KT_LOCKED + (action - KT_ADD_TO);
	}
	out->action = (uint8_t)action;
	return in->operand_count_visible == 1 ||
	       (in->operand_count_visible == 2 &&
		get_source(out, &d->operands[memory_first]));
}

/* Refuses a `repne` prefix, whose effect on string instructions is undocumented. */
static bool understand_string(struct kt_instruction *out, const struct decoded *d, size_t i)
{
	const ZydisDecodedInstruction *in = &d->instruction;

	for (unsigned k = 0; k < in->raw.prefix_count; k++) {
		if (in->raw.prefixes[k].value == 0xf2) {
			return false;
		}
	}
	out->form = KT_FORM_STRING;
	out->action = strings[i].action;
	out->width = strings[i].width;
	out->repeats = in->attributes & ZYDIS_ATTRIB_HAS_REP;
	out->part = (struct kt_part){KT_RAX, out->width, 0};
	return in->meta.category == ZYDIS_CATEGORY_STRINGOP && !out->narrow &&
	       !(in->attributes &
		 (ZYDIS_ATTRIB_HAS_SEGMENT_FS | ZYDIS_ATTRIB_HAS_SEGMENT_GS));
}

static bool understand_vector(struct kt_instruction *out, const struct decoded *d, size_t i)
{
	const ZydisDecodedInstruction *in = &d->instruction;
	const ZydisDecodedOperand *last = &d->operands[in->operand_count_visible - 1];
	bool load = last->type == ZYDIS_OPERAND_TYPE_MEMORY;
	uint8_t traits = vectors[i].traits;

	if (in->meta.category == ZYDIS_CATEGORY_STRINGOP ||
	    in->avx.mask.mode > ZYDIS_MASK_MODE_DISABLED ||
	    in->avx.broadcast.mode != ZYDIS_BROADCAST_MODE_INVALID ||
	    !get_memory(out, load ? last : &d->operands[0]) || out->width < 4 ||
	    out->width > 64 || (out->width & (out->width - 1)) ||
	    !get_vector(load ? &d->operands[0] : last, &out->vector)) {
		return false;
	}
	out->form = load ? KT_FORM_VECTOR_LOAD : KT_FORM_VECTOR_STORE;
	out->lane = traits & HIGH_LANE ? 8 : 0;
	out->must_be_aligned = traits & ALIGNED;
	out->clears_above = in->encoding != ZYDIS_INSTRUCTION_ENCODING_LEGACY;
	if (!load || !(traits & (HIGH_LANE | LOW_LANE))) {
		return true;
	}
	/* `vmovhps xmm1, xmm2, m64` loads the high lane and copies the low lane of xmm2. */
	return get_vector(&d->operands[in->operand_count_visible - 2], &out->kept);
}

static bool understand(struct kt_instruction *out, const struct decoded *d)
{
	ZydisMnemonic mnemonic = d->instruction.mnemonic;

	for (size_t i = 0; i < sizeof(strings) / sizeof(strings[0]); i++) {
		if (strings[i].mnemonic == mnemonic &&
		    d->instruction.meta.category == ZYDIS_CATEGORY_STRINGOP) {
			return understand_string(out, d, i);
		}
	}
	if (!d->instruction.operand_count_visible) {
		return false;
	}
	for (size_t i = 0; i < sizeof(general) / sizeof(general[0]); i++) {
		if (general[i].mnemonic == mnemonic) {
			return understand_general(out, d, i);
		}
	}
	for (size_t i = 0; i < sizeof(vectors) / sizeof(vectors[0]); i++) {
		if (vectors[i].mnemonic == mnemonic) {
			return understand_vector(out, d, i);
		}
	}
	return false;
}

size_t kt_instruction_length(const uint8_t *code, size_t n)
{
	ZydisDecodedInstruction in;

	return ZYAN_SUCCESS(
		       ZydisDecoderDecodeInstruction(&decoder, ZYAN_NULL, code, n, &in))
		       ? in.length
		       : 0;
}

bool kt_instruction_decode(struct kt_instruction *out, const uint8_t *code, size_t n)
{
	struct decoded d;

	memset(out, 0, sizeof(*out));
	out->base = out->index = out->kept = KT_NO_REGISTER;
	if (!ZYAN_SUCCESS(ZydisDecoderDecodeFull(&decoder, code, n, &d.instruction,
						 d.operands))) {
		return false;
	}
	out->length = d.instruction.length;
	memcpy(out->bytes, code, out->length);
	out->narrow = d.instruction.address_width != 64;
	if (!understand(out, &d)) {
		out->form = KT_FORM_OTHER;
	}
	return true;
}
