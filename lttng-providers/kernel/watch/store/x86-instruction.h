/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Decodes one x86 instruction: its length, its opcode and the address of its memory
 * operand. Plain C without allocation, for the watchpoint's handler and for tests in user
 * space. The decoder also accepts some encodings that processors reject, since it is meant
 * for code that has already run.
 */
#ifndef DW_X86_INSTRUCTION_H
#define DW_X86_INSTRUCTION_H

#ifdef __KERNEL__
#include <linux/types.h>
#else
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#endif

#define DW_INSTRUCTION_MAX 15 /* bytes of the longest instruction */
#define DW_NO_REGISTER     0xffu
#define DW_REGISTER_IP     0xfeu /* value of `base`: the instruction pointer */

enum dw_encoding { DW_LEGACY, DW_VEX, DW_EVEX, DW_XOP };

struct dw_instruction {
	uint8_t length;
	uint8_t encoding; /* enum dw_encoding */
	/*
	 * Opcode map. 0: one-byte opcodes, 1: after 0f, 2: after 0f 38, 3: after 0f 3a;
	 * with a VEX, EVEX or XOP prefix, the map that this prefix selects
	 */
	uint8_t map;
	uint8_t opcode;
	uint8_t prefix; /* mandatory prefix: the last f2 or f3; if there is none, 66 or 0 */
	bool repeats;   /* has an f2 or f3 prefix */
	bool locks;
	bool narrow;    /* has a 66 prefix: 16-bit operands, unless `wide` */
	bool wide;      /* the W bit is set in a REX, VEX, EVEX or XOP prefix */
	bool high_base; /* has an fs or gs prefix: the segment's base may differ from 0 */
	uint8_t address_bits;
	bool has_modrm;
	uint8_t modrm;
	/*
	 * Address of the memory operand, if modrm < 0xc0:
	 * base + index * scale + displacement. Not decoded if address_bits is 16.
	 */
	uint8_t base;  /* register, DW_NO_REGISTER or DW_REGISTER_IP */
	uint8_t index; /* register or DW_NO_REGISTER */
	uint8_t scale;
	/* The displacement counts units whose size depends on the opcode (EVEX) */
	bool scaled_displacement;
	int64_t displacement; /* for moffs opcodes: the address itself */
	uint8_t reg;          /* reg field of ModRM, with the R bit of the prefix */
	int64_t immediate;    /* sign-extended */
};

/*
 * Decodes the instruction at code[0]; `bits` is 64 or 32. Returns false if the bytes there
 * are not an instruction, or if code[0..n) ends before the instruction does.
 */
bool dw_instruction_decode(struct dw_instruction *out, const uint8_t *code, size_t n,
			   unsigned bits);

#endif
