/* SPDX-License-Identifier: MIT */
/*
 * Decodes instructions that touch memory, and caches them by address. Signal-safe. The
 * caller of kt_instruction_at() holds the recorder's lock, or is a handler that has
 * interrupted the lock's owner.
 */
#ifndef KTAIL_COLLECT_INSTRUCTION_H
#define KTAIL_COLLECT_INSTRUCTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <ucontext.h>

#include "collect/preload/instructions/registers.h"

#define KT_INSTRUCTION_MAX 15    /* bytes of an x86 instruction */
#define KT_NO_REGISTER     0xffu /* value of `base`, `index` or `kept`: none */
#define KT_REGISTER_RIP    0xfeu /* value of `base` */

enum kt_form {
	KT_FORM_OTHER,        /* not supported */
	KT_FORM_GENERAL,      /* one memory operand, with a general register or immediate */
	KT_FORM_STRING,       /* movs, stos, lods */
	KT_FORM_VECTOR_LOAD,  /* loads a vector register */
	KT_FORM_VECTOR_STORE, /* stores a vector register */
};

struct kt_instruction {
	uint8_t bytes[KT_INSTRUCTION_MAX];
	uint8_t length;
	int64_t displacement;
	uint64_t immediate;
	uint8_t form;
	uint8_t action; /* enum kt_guard_action, for general and string forms */
	uint8_t width;  /* bytes of one access */
	uint8_t base;
	uint8_t index;
	uint8_t scale;
	char segment; /* 'f' or 'g': the base of fs or gs is added; else 0 */
	bool narrow;  /* the address is truncated to 32 bits */
	bool has_immediate;
	bool writes;
	bool extends_sign;
	bool swaps;           /* reverses the bytes (movbe) */
	bool repeats;         /* has a rep prefix */
	struct kt_part part;  /* the general register */
	uint8_t vector;       /* the vector register */
	uint8_t kept;         /* loads: register that gives the other lane, if any */
	uint8_t lane;         /* offset of the accessed bytes in the register, in bytes */
	bool clears_above;    /* loads: clears all but the low 16, 32 or 64 bytes */
	bool must_be_aligned; /* memory operand must be aligned to its width */
};

/* Call before the functions below; not signal-safe. */
void kt_instruction_init(void);

/*
 * Returns the length in bytes of the instruction that begins at code; 0 if it is invalid or
 * longer than n.
 */
size_t kt_instruction_length(const uint8_t *code, size_t n);

/* Returns false if the instruction at code is invalid or longer than n bytes. */
bool kt_instruction_decode(struct kt_instruction *out, const uint8_t *code, size_t n);

/*
 * Decodes the instruction at ip, which the program is executing or has just executed.
 * Returns false if it cannot be decoded. Results are cached, and compared with the code in
 * memory, so that changed code is decoded again.
 */
bool kt_instruction_at(struct kt_instruction *out, uintptr_t ip);

/*
 * Computes the address of the instruction's memory operand as if the instruction were at
 * ip. Returns false if the kernel does not report the segment's base. Not for string forms.
 */
bool kt_instruction_address(const struct kt_instruction *instruction,
			    const ucontext_t *context, uintptr_t ip, uintptr_t *address);

/*
 * Returns the source operand of a general form: the immediate or the register's value. For
 * a store, this is the stored value. Bytes beyond the width are undefined.
 */
uint64_t kt_instruction_source(const struct kt_instruction *instruction,
			       const ucontext_t *context);

/* Reverses the order of the low `width` bytes. */
uint64_t kt_swap_bytes(uint64_t value, unsigned width);

/*
 * Computes the value that the instruction at RIP stores, from the registers in `context`:
 * the value cannot be read back from the doorbell page. Returns false unless the
 * instruction is a 4-byte store to `address`.
 */
bool kt_store_value_at(const ucontext_t *context, uintptr_t address, uint32_t *value);

/*
 * Like kt_store_value_at(), for the instruction that ends at the context's RIP. On x86, the
 * start of that instruction is ambiguous: of the candidates that store to `address`, the
 * function chooses the one at which decoding arrives from most earlier addresses. The
 * chosen length is cached for each RIP.
 */
bool kt_store_value_before(const ucontext_t *context, uintptr_t address, uint32_t *value);

#endif
