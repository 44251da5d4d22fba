/* SPDX-License-Identifier: MIT */
/*
 * Registers of an interrupted thread in its signal frame, numbered as in the instruction
 * encoding (0 RAX, 1 RCX, 2 RDX, 3 RBX, 4 RSP, ...). Signal-safe.
 */
#ifndef KTAIL_COLLECT_REGISTERS_H
#define KTAIL_COLLECT_REGISTERS_H

#include <stdbool.h>
#include <stdint.h>
#include <ucontext.h>

#define KT_RED_ZONE 128 /* bytes below the stack pointer that may be in use */

#define KT_RAX 0u
#define KT_RCX 1u
#define KT_RDX 2u
#define KT_RSP 4u
#define KT_RSI 6u
#define KT_RDI 7u

/*
 * Vector registers that the code of patches has saved
 * (collect/preload/access/patch-entry.c), which knows the offsets.
 */
enum kt_vectors {
	KT_VECTORS_XMM,
	KT_VECTORS_YMM,
	KT_VECTORS_ZMM,
	KT_VECTORS_LOW, /* only 16 bytes of registers 0 to 15 are in use; the rest is 0 */
};

struct kt_saved_vectors {
	_Alignas(64) uint8_t registers[32][64];
	uint64_t masks[8];
	uint32_t saved;     /* enum kt_vectors: what is saved of registers 0 to 15 */
	uint32_t processor; /* enum kt_vectors: what the processor has */
};

/* The part of a general register that an instruction names. */
struct kt_part {
	uint8_t number;
	uint8_t size;  /* bytes */
	uint8_t shift; /* 8 for AH, CH, DH, BH, else 0 */
};

/*
 * Reads the layout of vector registers in a signal frame from CPUID. Call once, before the
 * functions below; not signal-safe.
 */
void kt_registers_init(void);

uint64_t kt_register_read(const ucontext_t *context, unsigned number);
void kt_register_write(ucontext_t *context, unsigned number, uint64_t value);

/* Returns the part's value in the low bits; the bits above are undefined. */
uint64_t kt_part_read(const ucontext_t *context, struct kt_part part);

/*
 * Writes the part. The rest of the register is kept if the part has 1 or 2 bytes, and
 * cleared if the part has 4, as the processor does.
 */
void kt_part_write(ucontext_t *context, struct kt_part part, uint64_t value);

/*
 * Access the low `size` bytes (16, 32 or 64) of vector register 0 to 31;
 * kt_vector_present() only tests whether the frame holds these bytes. If it does not, all
 * return false and do nothing. If clear_above is set, a write also clears the register's
 * higher bytes.
 */
bool kt_vector_present(const ucontext_t *context, unsigned number, unsigned size);
bool kt_vector_read(const ucontext_t *context, unsigned number, unsigned size, void *value);
bool kt_vector_write(ucontext_t *context, unsigned number, unsigned size, const void *value,
		     bool clear_above);

#endif
