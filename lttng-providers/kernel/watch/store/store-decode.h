/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Decodes the value that an instruction has stored or is about to store, from the
 * instruction's bytes and the registers. Plain C without allocation, for handlers of traps
 * and faults and for tests in user space. Decodes x86-64 code and, with `bits` 32, 32-bit
 * code.
 */
#ifndef DW_STORE_DECODE_H
#define DW_STORE_DECODE_H

#ifdef __KERNEL__
#include <linux/types.h>
#else
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#endif

#define DW_STORE_BYTES 15 /* bytes of the longest instruction */

struct dw_store_registers {
	uint64_t general[16]; /* rax rcx rdx rbx rsp rbp rsi rdi r8 ... r15 */
	/* Address of the instruction after the store, unless noted otherwise */
	uint64_t ip;
	uint64_t flags;
	uint8_t bits; /* of the code: 64 or 32 */
};

enum dw_store_kind {
	DW_STORE_UNKNOWN = 0, /* no known store to the address */
	DW_STORE_VALUE,       /* *value was stored: mov, movnti, movbe, movdiri, stos */
	/*
	 * A known store to the address, but the stored value is only in memory: xchg (its
	 * register now holds the old value), arithmetic, vectors, movs, and stores that do
	 * not cover all 4 bytes
	 */
	DW_STORE_MEMORY,
};

/*
 * Decodes the store before ip. before[0..n) are the n bytes before ip; n may be less than
 * 64 only if no more bytes can be read, and only the last 64 bytes are used. `at` is the
 * watched address: the store has written to some of the bytes [at, at + 4). If several
 * instructions that end at ip would store there, chooses the one on which most decodings
 * from further back agree.
 *
 * Returns DW_STORE_VALUE and writes the 32 bits at `at` to *value, or returns another kind
 * and leaves *value unchanged.
 */
enum dw_store_kind dw_store_decode(const uint8_t *before, size_t n,
				   const struct dw_store_registers *registers, uint64_t at,
				   uint32_t *value);

/*
 * As dw_store_decode(), for the one instruction code[0..length). Writes to *certain whether
 * the registers prove that the instruction has stored at `at`. A proof is impossible for
 * the earlier elements of a repeated store, and for a store that changes its own address
 * registers, has a 16-bit address or an fs or gs prefix, or may go anywhere (bts, scatter).
 */
enum dw_store_kind dw_store_decode_one(const uint8_t *code, size_t length,
				       const struct dw_store_registers *registers,
				       uint64_t at, uint32_t *value, bool *certain);

/*
 * Decodes a repeated store that the trap has interrupted: code[0..n) is at ip, which is
 * still the address of that instruction, and the bytes before ip are unrelated. Returns
 * DW_STORE_VALUE if a stos has just stored at `at`; DW_STORE_MEMORY if a movs, or an
 * earlier element of a stos, may have stored there; or DW_STORE_UNKNOWN if the instruction
 * is not a repeated store or cannot have stored there.
 */
enum dw_store_kind dw_store_decode_repeated(const uint8_t *code, size_t n,
					    const struct dw_store_registers *registers,
					    uint64_t at, uint32_t *value);

/*
 * A plain store: writes a register or immediate to memory, without any other effect, except
 * that stos advances rdi.
 */
struct dw_store {
	uint64_t to;
	uint64_t value; /* only the low `size` bytes are stored */
	uint8_t size;   /* 1, 2, 4 or 8 */
	uint8_t length; /* of the instruction */
	uint64_t rdi;   /* rdi after the store */
};

/*
 * Decodes the plain store that code[0..n) is about to do; registers->ip is the address of
 * code[0]. Returns false and leaves *out untouched if the instruction is not a plain store
 * or the address is not known, as with an fs or gs prefix.
 */
bool dw_store_decode_next(struct dw_store *out, const uint8_t *code, size_t n,
			  const struct dw_store_registers *registers);

#endif
