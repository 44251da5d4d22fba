/* SPDX-License-Identifier: MIT */
/* Random encodings of the instructions that kt_emulate() must support. */
#ifndef KTAIL_TESTS_FORMS_H
#define KTAIL_TESTS_FORMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tests/collect/instructions/machine.h"

enum form_encoding { FORM_LEGACY, FORM_VEX, FORM_EVEX };

enum {
	FORM_WIDE = 1,     /* REX.W may be set; VEX and EVEX: W is ignored */
	FORM_SHORT = 2,    /* prefix 66 may precede the opcode */
	FORM_LOCK = 4,     /* the lock prefix is allowed */
	FORM_W1 = 8,       /* W must be 1 */
	FORM_LONG = 16,    /* VEX and EVEX: any vector length */
	FORM_THREE = 32,   /* VEX and EVEX: vvvv encodes a register */
	FORM_OFFSET = 64,  /* no ModRM byte, but a 64-bit address */
	FORM_ALIGNED = 128 /* faults if its operand is unaligned */
};

struct form {
	const char *name;
	uint8_t encoding;
	uint8_t map;    /* opcode map; 0: one byte, 1: 0f, 2: 0f 38 */
	uint8_t prefix; /* 0: none, 1: 66, 2: f3, 3: f2 */
	uint8_t opcode;
	int8_t digit;      /* reg field of ModRM; -1: a register's number */
	uint8_t immediate; /* bytes; 4 becomes 2 with prefix 66 */
	uint8_t flags;
};

extern const struct form forms[];
extern const size_t forms_n;

/*
 * Encodes an instruction of the given form whose operand is near `target`, and sets the
 * registers that its address needs. Returns the instruction's length in bytes, the
 * operand's address in *address and its bytes in *width; returns 0 if this attempt failed.
 */
size_t form_make(const struct form *form, struct machine *machine, uint64_t target,
		 unsigned char code[MACHINE_LENGTH], uint64_t *address, unsigned *width);

#endif
