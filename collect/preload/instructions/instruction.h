/* SPDX-License-Identifier: MIT */
/*
 * What the recorder needs to know of an instruction that touches memory, decoded once for
 * each place in the code. Signal-safe; kt_instruction_at() wants the recorder's lock, and
 * a handler that interrupts its owner may call it all the same.
 */
#ifndef KTAIL_COLLECT_INSTRUCTION_H
#define KTAIL_COLLECT_INSTRUCTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <ucontext.h>

#include "collect/preload/instructions/registers.h"

#define KT_INSTRUCTION_MAX 15    /* bytes of an x86 instruction */
#define KT_NO_REGISTER     0xffu /* as base or index */
#define KT_REGISTER_RIP    0xfeu /* as base */

enum kt_form {
	KT_FORM_OTHER,        /* nothing that is understood */
	KT_FORM_GENERAL,      /* one memory operand, general register or immediate */
	KT_FORM_STRING,       /* movs, stos, lods */
	KT_FORM_VECTOR_LOAD,  /* a vector register from memory */
	KT_FORM_VECTOR_STORE, /* the other way */
};

struct kt_instruction {
	uint8_t bytes[KT_INSTRUCTION_MAX];
	uint8_t length;
	int64_t displacement;
	uint64_t immediate;
	uint8_t form;
	uint8_t action; /* enum kt_guard_action, of general and string forms */
	uint8_t width;  /* bytes of one access */
	uint8_t base;
	uint8_t index;
	uint8_t scale;
	char segment; /* 'f', 'g': its base is added; else 0 */
	bool narrow;  /* addresses of 32 bits */
	bool has_immediate;
	bool writes;
	bool extends_sign;
	bool swaps;           /* bytes in the opposite order */
	bool repeats;         /* rep */
	struct kt_part part;  /* the general register */
	uint8_t vector;       /* the vector register */
	uint8_t kept;         /* on loads: whose other lane is kept, KT_NO_REGISTER: none */
	uint8_t lane;         /* bytes: where in the register memory begins */
	bool clears_above;    /* on loads: the register's bytes from 16, 32, 64 on */
	bool must_be_aligned; /* to its width */
};

/* Before any of it; not in a handler. */
void kt_instruction_init(void);

/* How long the instruction is that begins at code; 0: none, or code[0..n) is too short. */
size_t kt_instruction_length(const uint8_t *code, size_t n);

/* false: no instruction begins here, or not all of it is in code[0..n). */
bool kt_instruction_decode(struct kt_instruction *out, const uint8_t *code, size_t n);

/*
 * The instruction at an address whose first byte the program executes now, or has executed
 * just now. false: it cannot be decoded. Remembers, and notices when the code has changed.
 */
bool kt_instruction_at(struct kt_instruction *out, uintptr_t ip);

/* Where its memory operand lies (not of string forms) if it stands at ip. */
bool kt_instruction_address(const struct kt_instruction *instruction,
			    const ucontext_t *context, uintptr_t ip, uintptr_t *address);

/*
 * What a general form puts in: the immediate or the register; its bytes from the width on
 * mean nothing. Of a store: the value that memory gets.
 */
uint64_t kt_instruction_source(const struct kt_instruction *instruction,
			       const ucontext_t *context);

/* The low `width` bytes in the opposite order. */
uint64_t kt_swap_bytes(uint64_t value, unsigned width);

/*
 * What a store instruction writes, from the registers of the thread that runs it. The
 * doorbell page cannot be read back, so this is the only way to learn the value. After
 * kt_instruction_init().
 *
 * The value of a 4-byte store to `address` by the instruction at the context's RIP.
 */
bool kt_store_value_at(const ucontext_t *context, uintptr_t address, uint32_t *value);

/*
 * The same for the instruction that ends at the context's RIP. Which bytes before RIP are
 * that instruction is ambiguous on x86: it is the one on which most decodings that begin
 * further back agree, and which stores to that address. Remembered for each RIP.
 */
bool kt_store_value_before(const ucontext_t *context, uintptr_t address, uint32_t *value);

#endif
