/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Which value an instruction has stored, from its bytes and the registers after it, or is
 * about to. Plain C without allocation, for handlers of traps and faults, and for tests in
 * user space. x86-64 (32-bit code is told apart by `bits`).
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

#define DW_STORE_BYTES 15 /* of the longest instruction */

struct dw_store_registers {
	uint64_t general[16]; /* rax rcx rdx rbx rsp rbp rsi rdi r8 ... r15 */
	uint64_t ip;          /* of the instruction after the store, if not said else */
	uint64_t flags;
	uint8_t bits; /* 64 or 32 */
};

enum dw_store_kind {
	DW_STORE_UNKNOWN = 0, /* no instruction of those that are known ends there */
	DW_STORE_VALUE,       /* *value was stored: mov, movnti, movbe, movdiri, stos */
	DW_STORE_MEMORY, /* it is a store there, whose value only memory can tell: xchg,
			  * whose register holds the old value, arithmetic, vectors,
			  * movs, and what fills less than the 4 bytes */
};

/*
 * `before` holds the n bytes before ip, before[n - 1] the last; fewer than 64 if no more
 * can be read. `at` is the watched address, 4 bytes from which on have been stored to. Of
 * all instructions that end at ip and store there the one is taken on which most decodings
 * from further back agree. *value: the 32 bits at `at`; untouched unless DW_STORE_VALUE.
 * O(n), of which the last 64 count.
 */
enum dw_store_kind dw_store_decode(const uint8_t *before, size_t n,
				   const struct dw_store_registers *registers, uint64_t at,
				   uint32_t *value);

/*
 * The same of one instruction, code[0..length). *certain: that it stores there follows
 * from the registers; else it is a store of which they do not tell where it went, since
 * it changes them, is repeated or has a segment.
 */
enum dw_store_kind dw_store_decode_one(const uint8_t *code, size_t length,
				       const struct dw_store_registers *registers,
				       uint64_t at, uint32_t *value, bool *certain);

/*
 * Whether code[0..n), at ip, is a repeated store that the trap has interrupted: then ip is
 * still its own, what stands before ip has nothing to do with the store, and the kind is
 * DW_STORE_MEMORY or, of stos, DW_STORE_VALUE. DW_STORE_UNKNOWN: it is none.
 */
enum dw_store_kind dw_store_decode_repeated(const uint8_t *code, size_t n,
					    const struct dw_store_registers *registers,
					    uint64_t at, uint32_t *value);

/* A plain store: what a register or the instruction holds goes to memory, and no more. */
struct dw_store {
	uint64_t to;
	uint64_t value; /* its low `size` bytes */
	uint8_t size;   /* 1, 2, 4 or 8 */
	uint8_t length; /* of the instruction */
	uint64_t rdi;   /* after it: only stos moves it on */
};

/*
 * The plain store that code[0..n) is about to make: registers->ip is its own. false: it
 * makes none, or its address has a segment: *out is untouched.
 */
bool dw_store_decode_next(struct dw_store *out, const uint8_t *code, size_t n,
			  const struct dw_store_registers *registers);

#endif
