/* SPDX-License-Identifier: MIT */
/*
 * The registers of an interrupted thread, as they lie in its signal frame. Registers are
 * named by the numbers of the instruction encoding (0 RAX, 1 RCX, 2 RDX, 3 RBX, 4 RSP,
 * ...). Signal-safe.
 */
#ifndef KTAIL_COLLECT_REGISTERS_H
#define KTAIL_COLLECT_REGISTERS_H

#include <stdbool.h>
#include <stdint.h>
#include <ucontext.h>

#define KT_RAX 0u
#define KT_RCX 1u
#define KT_RSI 6u
#define KT_RDI 7u

/* What an instruction names of a general register. */
struct kt_part {
	uint8_t number;
	uint8_t size;  /* bytes */
	uint8_t shift; /* 8 for AH, CH, DH, BH, else 0 */
};

/* Asks the processor where vector registers lie in a frame; once, not in a handler. */
void kt_registers_init(void);

uint64_t kt_register_read(const ucontext_t *context, unsigned number);
void kt_register_write(ucontext_t *context, unsigned number, uint64_t value);

/* The part's value is in the low bits; above it lies what happens to be there. */
uint64_t kt_part_read(const ucontext_t *context, struct kt_part part);

/* Keeps the rest of the register, or clears it after 4 bytes, as the processor does. */
void kt_part_write(ucontext_t *context, struct kt_part part, uint64_t value);

/*
 * The low `size` bytes (16, 32 or 64) of vector register 0 to 31. false: the frame has no
 * room for them; then nothing was read or written. With clear_above a write clears the
 * register's bytes above them.
 */
bool kt_vector_present(const ucontext_t *context, unsigned number, unsigned size);
bool kt_vector_read(const ucontext_t *context, unsigned number, unsigned size, void *value);
bool kt_vector_write(ucontext_t *context, unsigned number, unsigned size, const void *value,
		     bool clear_above);

#endif
