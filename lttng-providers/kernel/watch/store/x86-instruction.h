/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Decodes one x86 instruction: its length, its opcode and the address of its memory
 * operand. Plain C without allocation, for the watchpoint's handler and for tests in user
 * space. Accepts more encodings than processors do, since it is meant for code that has
 * run.
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
	 * Opcode map. 0: one-byte opcodes, 1: after 0f, 2: after 0f 38, 3: after 0f 3a, or
	 * the number in the VEX, EVEX or XOP prefix
	 */
	uint8_t map;
	uint8_t opcode;
	uint8_t prefix; /* mandatory prefix: the last of 0xf3 and 0xf2, else 0x66, else 0 */
	bool repeats;   /* has an f2 or f3 prefix */
	bool locks;
	bool narrow;    /* has a 66 prefix: 16-bit operands, unless `wide` */
	bool wide;      /* REX.W, or W of a newer prefix */
	bool high_base; /* fs or gs: the segment's base may differ from 0 */
	uint8_t address_bits;
	bool has_modrm;
	uint8_t modrm;
	/* A memory operand, if modrm < 0xc0: base + index * scale + displacement */
	uint8_t base;  /* register, DW_NO_REGISTER or DW_REGISTER_IP */
	uint8_t index; /* register or DW_NO_REGISTER */
	uint8_t scale;
	/* EVEX: displacement in units that depend on the opcode */
	bool scaled_displacement;
	int64_t displacement; /* for moffs opcodes: the address itself */
	uint8_t reg;          /* reg field of ModRM, with the bit of the REX prefix */
	int64_t immediate;    /* sign-extended */
};

/*
 * Decodes the instruction at code[0]; `bits` is 64 or 32. Returns false if no instruction
 * begins there or code[0..n) ends within it.
 */
bool dw_instruction_decode(struct dw_instruction *out, const uint8_t *code, size_t n,
			   unsigned bits);

#endif
