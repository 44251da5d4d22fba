// SPDX-License-Identifier: GPL-2.0 OR MIT
#include "watch/store/store-table.h"

#define ALL    0xffu
#define BYTES  DW_STORE_BYTE
#define OPSIZE DW_STORE_OPSIZE

static const struct dw_store_form forms[] = {
	{DW_LEGACY, 0, 0x89, 0x89, ALL, OPSIZE, SOURCE, false}, /* mov */
	{DW_LEGACY, 0, 0xc7, 0xc7, 0x01, OPSIZE, SOURCE, false},
	{DW_LEGACY, 0, 0xa3, 0xa3, ALL, OPSIZE, SOURCE, false},
	{DW_LEGACY, 1, 0xc3, 0xc3, ALL, OPSIZE, SOURCE, false},  /* movnti */
	{DW_LEGACY, 2, 0xf9, 0xf9, ALL, OPSIZE, SOURCE, false},  /* movdiri */
	{DW_LEGACY, 2, 0xf1, 0xf1, ALL, OPSIZE, SWAPPED, false}, /* movbe */
	{DW_LEGACY, 0, 0x88, 0x88, ALL, BYTES, OTHER, false},
	{DW_LEGACY, 0, 0xc6, 0xc6, 0x01, BYTES, OTHER, false},
	{DW_LEGACY, 0, 0xa2, 0xa2, ALL, BYTES, OTHER, false},
	{DW_LEGACY, 0, 0x8c, 0x8c, ALL, 2, OTHER, false}, /* segment registers */
	{DW_LEGACY, 0, 0xaa, 0xaa, ALL, BYTES, STOS, false},
	{DW_LEGACY, 0, 0xab, 0xab, ALL, OPSIZE, STOS, false},
	{DW_LEGACY, 0, 0xa4, 0xa4, ALL, BYTES, MOVS, false},
	{DW_LEGACY, 0, 0xa5, 0xa5, ALL, OPSIZE, MOVS, false},
	/* Arithmetic with an immediate; reg field 7 is cmp, which does not store */
	{DW_LEGACY, 0, 0x80, 0x80, 0x7f, BYTES, OTHER, true},
	{DW_LEGACY, 0, 0x81, 0x81, 0x7f, OPSIZE, OTHER, true},
	{DW_LEGACY, 0, 0x82, 0x82, 0x7f, BYTES, OTHER, true},
	{DW_LEGACY, 0, 0x83, 0x83, 0x7f, OPSIZE, OTHER, true},
	{DW_LEGACY, 0, 0xf6, 0xf6, 0x0c, BYTES, OTHER, true}, /* not, neg */
	{DW_LEGACY, 0, 0xf7, 0xf7, 0x0c, OPSIZE, OTHER, true},
	{DW_LEGACY, 0, 0xfe, 0xfe, 0x03, BYTES, OTHER, true}, /* inc, dec */
	{DW_LEGACY, 0, 0xff, 0xff, 0x03, OPSIZE, OTHER, true},
	{DW_LEGACY, 0, 0xc0, 0xc1, ALL, 8, OTHER, false}, /* shifts and rotations */
	{DW_LEGACY, 0, 0xd0, 0xd3, ALL, 8, OTHER, false},
	{DW_LEGACY, 0, 0x86, 0x86, ALL, BYTES, OTHER_REG, true}, /* xchg */
	{DW_LEGACY, 0, 0x87, 0x87, ALL, OPSIZE, OTHER_REG, true},
	{DW_LEGACY, 0, 0x8f, 0x8f, 0x01, 8, OTHER, false},  /* pop */
	{DW_LEGACY, 0, 0xd9, 0xd9, 0xcc, 28, OTHER, false}, /* x87 */
	{DW_LEGACY, 0, 0xdb, 0xdb, 0x8e, 10, OTHER, false},
	{DW_LEGACY, 0, 0xdd, 0xdd, 0xce, 108, OTHER, false},
	{DW_LEGACY, 0, 0xdf, 0xdf, 0xce, 10, OTHER, false},
	{DW_LEGACY, 1, 0x90, 0x9f, ALL, 1, OTHER, false}, /* setcc */
	{DW_LEGACY, 1, 0xa4, 0xa5, ALL, 8, OTHER, false}, /* shld, shrd */
	{DW_LEGACY, 1, 0xac, 0xad, ALL, 8, OTHER, false},
	{DW_LEGACY, 1, 0xab, 0xab, ALL, 0, OTHER, true}, /* bts: any address */
	{DW_LEGACY, 1, 0xb3, 0xb3, ALL, 0, OTHER, true},
	{DW_LEGACY, 1, 0xbb, 0xbb, ALL, 0, OTHER, true},
	{DW_LEGACY, 1, 0xba, 0xba, 0xe0, 8, OTHER, true},
	{DW_LEGACY, 1, 0xb0, 0xb1, ALL, 8, OTHER_RAX, true},     /* cmpxchg */
	{DW_LEGACY, 1, 0xc0, 0xc0, ALL, BYTES, OTHER_REG, true}, /* xadd */
	{DW_LEGACY, 1, 0xc1, 0xc1, ALL, OPSIZE, OTHER_REG, true},
	{DW_LEGACY, 1, 0xc7, 0xc7, 0x02, 16, OTHER_PAIR, true}, /* cmpxchg8b */
	{DW_LEGACY, 1, 0xc7, 0xc7, 0x30, 0, OTHER, false},      /* xsavec, xsaves */
	{DW_LEGACY, 1, 0xae, 0xae, 0x59, 0, OTHER, false},      /* fxsave, stmxcsr, xsave */
	{DW_LEGACY, 1, 0x11, 0x11, ALL, 16, OTHER, false},      /* movups, movss, ... */
	{DW_LEGACY, 1, 0x13, 0x13, ALL, 8, OTHER, false},
	{DW_LEGACY, 1, 0x17, 0x17, ALL, 8, OTHER, false},
	{DW_LEGACY, 1, 0x29, 0x29, ALL, 16, OTHER, false},
	{DW_LEGACY, 1, 0x2b, 0x2b, ALL, 16, OTHER, false},
	{DW_LEGACY, 1, 0x7e, 0x7f, ALL, 16, OTHER, false}, /* movd, movq, movdqa, ... */
	{DW_LEGACY, 1, 0xd6, 0xd6, ALL, 8, OTHER, false},
	{DW_LEGACY, 1, 0xe7, 0xe7, ALL, 16, OTHER, false},
	{DW_LEGACY, 1, 0xf7, 0xf7, ALL, 16, AT_RDI, false},
	{DW_LEGACY, 2, 0xf8, 0xf8, ALL, 64, AT_REGISTER, false},
	{DW_LEGACY, 3, 0x14, 0x17, ALL, 8, OTHER, false}, /* pextr, extractps */
	{DW_VEX, 1, 0x11, 0x11, ALL, 32, OTHER, false},
	{DW_VEX, 1, 0x13, 0x13, ALL, 8, OTHER, false},
	{DW_VEX, 1, 0x17, 0x17, ALL, 8, OTHER, false},
	{DW_VEX, 1, 0x29, 0x29, ALL, 32, OTHER, false},
	{DW_VEX, 1, 0x2b, 0x2b, ALL, 32, OTHER, false},
	{DW_VEX, 1, 0x7e, 0x7f, ALL, 32, OTHER, false},
	{DW_VEX, 1, 0x91, 0x91, ALL, 8, OTHER, false}, /* kmov */
	{DW_VEX, 1, 0xae, 0xae, 0x08, 4, OTHER, false},
	{DW_VEX, 1, 0xd6, 0xd6, ALL, 8, OTHER, false},
	{DW_VEX, 1, 0xe7, 0xe7, ALL, 32, OTHER, false},
	{DW_VEX, 1, 0xf7, 0xf7, ALL, 16, AT_RDI, false},
	{DW_VEX, 2, 0x2e, 0x2f, ALL, 32, OTHER, false}, /* vmaskmov */
	{DW_VEX, 2, 0x8e, 0x8e, ALL, 32, OTHER, false},
	{DW_VEX, 3, 0x14, 0x17, ALL, 8, OTHER, false},
	{DW_VEX, 3, 0x19, 0x19, ALL, 16, OTHER, false}, /* vextract */
	{DW_VEX, 3, 0x1d, 0x1d, ALL, 16, OTHER, false}, /* vcvtps2ph */
	{DW_VEX, 3, 0x39, 0x39, ALL, 16, OTHER, false},
	{DW_EVEX, 1, 0x11, 0x11, ALL, 64, OTHER, false},
	{DW_EVEX, 1, 0x13, 0x13, ALL, 8, OTHER, false},
	{DW_EVEX, 1, 0x17, 0x17, ALL, 8, OTHER, false},
	{DW_EVEX, 1, 0x29, 0x29, ALL, 64, OTHER, false},
	{DW_EVEX, 1, 0x2b, 0x2b, ALL, 64, OTHER, false},
	{DW_EVEX, 1, 0x7e, 0x7f, ALL, 64, OTHER, false},
	{DW_EVEX, 1, 0xd6, 0xd6, ALL, 8, OTHER, false},
	{DW_EVEX, 1, 0xe7, 0xe7, ALL, 64, OTHER, false},
	{DW_EVEX, 2, 0x10, 0x15, ALL, 32, OTHER, false}, /* vpmov */
	{DW_EVEX, 2, 0x20, 0x25, ALL, 32, OTHER, false},
	{DW_EVEX, 2, 0x30, 0x35, ALL, 32, OTHER, false},
	{DW_EVEX, 2, 0x63, 0x63, ALL, 64, OTHER, false}, /* vcompress */
	{DW_EVEX, 2, 0x8a, 0x8b, ALL, 64, OTHER, false},
	{DW_EVEX, 2, 0xa0, 0xa3, ALL, 0, OTHER, false}, /* vscatter: any address */
	{DW_EVEX, 3, 0x14, 0x17, ALL, 8, OTHER, false},
	{DW_EVEX, 3, 0x19, 0x19, ALL, 16, OTHER, false},
	{DW_EVEX, 3, 0x1b, 0x1b, ALL, 32, OTHER, false},
	{DW_EVEX, 3, 0x1d, 0x1d, ALL, 32, OTHER, false},
	{DW_EVEX, 3, 0x39, 0x39, ALL, 16, OTHER, false},
	{DW_EVEX, 3, 0x3b, 0x3b, ALL, 32, OTHER, false},
	{DW_EVEX, 5, 0x11, 0x11, ALL, 2, OTHER, false}, /* vmovsh, vmovw */
	{DW_EVEX, 5, 0x7e, 0x7e, ALL, 2, OTHER, false},
};

static const struct dw_store_form arithmetic[] = {
	{DW_LEGACY, 0, 0, 0, ALL, BYTES, OTHER, true},
	{DW_LEGACY, 0, 0, 0, ALL, OPSIZE, OTHER, true},
};

/*
 * Returns whether the opcode stores with the mandatory prefix that this instruction has.
 * With other prefixes, some opcodes load or are other instructions.
 */
static bool has_right_prefix(const struct dw_instruction *instruction)
{
	uint8_t prefix = instruction->prefix;

	switch (instruction->map << 8 | instruction->opcode) {
	case 0x17e:
		return instruction->encoding == DW_LEGACY ? prefix != 0xf3 && prefix != 0xf2
							  : prefix == 0x66;
	case 0x1d6: return prefix == 0x66;
	case 0x1b8: return false;
	case 0x1ae: return !prefix;
	case 0x2f1: return prefix != 0xf2 && prefix != 0xf3;
	case 0x2f8: return prefix == 0x66;
	case 0x2f9: return !prefix;
	default:
		return instruction->encoding != DW_EVEX || instruction->map != 2 ||
		       instruction->opcode >= 0x60 || prefix == 0xf3;
	}
}

const struct dw_store_form *dw_store_form_of(const struct dw_instruction *instruction)
{
	uint8_t reg = (uint8_t)(1u << (instruction->modrm >> 3 & 7));
	size_t i;

	/* Opcodes 00 and 01, 08 and 09, ... 30 and 31: arithmetic to memory */
	if (instruction->encoding == DW_LEGACY && !instruction->map &&
	    instruction->opcode < 0x38 && !(instruction->opcode & 6)) {
		return &arithmetic[instruction->opcode & 1];
	}
	for (i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
		const struct dw_store_form *form = &forms[i];

		if (form->encoding == instruction->encoding &&
		    form->map == instruction->map && form->first <= instruction->opcode &&
		    form->last >= instruction->opcode &&
		    (!instruction->has_modrm || form->regs & reg)) {
			return has_right_prefix(instruction) ? form : NULL;
		}
	}
	return NULL;
}
