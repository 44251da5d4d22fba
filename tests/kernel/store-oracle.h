/* SPDX-License-Identifier: MIT */
/* The store of an instruction, according to Zydis and the registers after it. */
#ifndef KTAIL_TESTS_KERNEL_STORE_ORACLE_H
#define KTAIL_TESTS_KERNEL_STORE_ORACLE_H

#include "watch/store/store-decode.h"

struct kt_stored {
	uint8_t length; /* of the instruction in bytes; 0: the instruction is invalid */
	bool stores;    /* the instruction stores to a memory operand */
	bool system;    /* sgdt and similar: an instruction that does not write doorbells */
	bool placed;    /* `to` is valid: the address registers are unchanged */
	uint64_t to;
	uint64_t size;
	bool known; /* `value` is valid: mov and similar */
	uint64_t value;
};

/*
 * Fills *out for the instruction at `code`. `registers` are those after the instruction,
 * including ip.
 */
void kt_store_oracle(struct kt_stored *out, const uint8_t *code, size_t n,
		     const struct dw_store_registers *registers);

#endif
