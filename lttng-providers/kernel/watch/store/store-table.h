/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* Which instructions store, and what. */
#ifndef DW_STORE_TABLE_H
#define DW_STORE_TABLE_H

#include "watch/store/x86-instruction.h"

/* What an instruction writes where its memory operand is. */
enum dw_store_what {
	SOURCE,      /* the register, or the immediate, as it stands there afterwards */
	SWAPPED,     /* the register, bytes in the opposite order */
	OTHER,       /* something that only memory tells */
	OTHER_RAX,   /* the same, and rax may be changed: cmpxchg */
	OTHER_PAIR,  /* the same, rax and rdx: cmpxchg8b */
	OTHER_REG,   /* the same, and ModRM's register is changed: xchg, xadd */
	AT_REGISTER, /* 64 bytes at the address in ModRM's register: movdir64b */
	AT_RDI,      /* at rdi, which stays: maskmovq */
	STOS,        /* rax to where rdi was */
	MOVS,        /* memory to where rdi was */
};

#define DW_STORE_BYTE   0x80u /* size: 1 */
#define DW_STORE_OPSIZE 0x40u /* 2, 4 or 8 */

/*
 * Instructions of a kind. `regs`: bit i for ModRM's middle bits i. `size`: bytes, at most;
 * only those of forms whose value is known have to be exact. 0: anywhere.
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

/* NULL: it does not store, as far as is known. Does not ask whether ModRM names memory. */
const struct dw_store_form *dw_store_form_of(const struct dw_instruction *instruction);

#endif
