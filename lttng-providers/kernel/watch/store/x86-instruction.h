/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * One x86 instruction taken apart: how long it is, what its opcode is and where its memory
 * operand lies. Plain C without allocation, for the watchpoint's handler and for tests in
 * user space. Knows more encodings than processors have: it is for code that has run.
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

#define DW_INSTRUCTION_MAX 15 /* bytes of the longest one */
#define DW_NO_REGISTER     0xffu
#define DW_REGISTER_IP     0xfeu /* as base */

enum dw_encoding { DW_LEGACY, DW_VEX, DW_EVEX, DW_XOP };

struct dw_instruction {
	uint8_t length;
	uint8_t encoding; /* enum dw_encoding */
	uint8_t map; /* 0: one byte, 1: 0f, 2: 0f 38, 3: 0f 3a, or the encoding's number */
	uint8_t opcode;
	uint8_t prefix; /* 0x66, 0xf3, 0xf2 or 0: the last of them, f2 and f3 before 66 */
	bool repeats;   /* f2 or f3 */
	bool locks;
	bool narrow;    /* 66: operands of 16 bits, if not `wide` */
	bool wide;      /* REX.W and its like */
	bool high_base; /* a segment whose base is not known to be 0 */
	uint8_t address_bits;
	bool has_modrm;
	uint8_t modrm;
	/* A memory operand, if modrm < 0xc0: base + index * scale + displacement */
	uint8_t base;  /* register, DW_NO_REGISTER or DW_REGISTER_IP */
	uint8_t index; /* register or DW_NO_REGISTER */
	uint8_t scale;
	bool scaled_displacement; /* EVEX: in units that the opcode says */
	int64_t displacement;     /* of moffs forms: the address */
	uint8_t reg;              /* modrm's register, with the bit of the REX prefix */
	int64_t immediate;        /* sign-extended */
};

/* false: no instruction begins here, or not all of it is in code[0..n). bits: 64 or 32. */
bool dw_instruction_decode(struct dw_instruction *out, const uint8_t *code, size_t n,
			   unsigned bits);

#endif
