/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* Table of the instructions that store to memory, and of the values that they store. */
#ifndef DW_STORE_TABLE_H
#define DW_STORE_TABLE_H

#include "watch/store/x86-instruction.h"

/* What an instruction writes to its memory operand. */
enum dw_store_what {
	SOURCE,      /* the register or immediate, which is unchanged afterwards */
	SWAPPED,     /* the register with its bytes reversed */
	OTHER,       /* another value, which must be read from memory afterwards */
	OTHER_RAX,   /* as OTHER, and rax may change: cmpxchg */
	OTHER_PAIR,  /* as OTHER, and rax and rdx may change: cmpxchg8b */
	OTHER_REG,   /* as OTHER, and ModRM's register changes: xchg, xadd */
	AT_REGISTER, /* 64 bytes at the address in ModRM's register: movdir64b */
	AT_RDI,      /* bytes, to the address in rdi; rdi stays: maskmovq */
	STOS,        /* rax, to the address that rdi held before */
	MOVS,        /* memory, to the address that rdi held before */
};

#define DW_STORE_BYTE   0x80u /* size: 1 byte */
#define DW_STORE_OPSIZE 0x40u /* size: 2, 4 or 8 bytes, by operand size */

/*
 * Opcodes `first` to `last` of a map, which store in the same way. `regs`: bit i is set if
 * the reg field of ModRM may be i. `size`: DW_STORE_BYTE, DW_STORE_OPSIZE, or the largest
 * number of bytes stored; 0 if the store may go anywhere.
 */
struct dw_store_form {
	uint8_t encoding;
	uint8_t map;
	uint8_t first;
	uint8_t last;
	uint8_t regs;
	uint8_t size;
	uint8_t what;
	bool lockable;
};

/*
 * Returns the form of a store, or NULL if the instruction is not known to store. Does not
 * check that ModRM names memory.
 */
const struct dw_store_form *dw_store_form_of(const struct dw_instruction *instruction);

#endif
