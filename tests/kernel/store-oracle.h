/* SPDX-License-Identifier: MIT */
/* The store of an instruction, according to Zydis and the registers after it. */
#ifndef KTAIL_TESTS_KERNEL_STORE_ORACLE_H
#define KTAIL_TESTS_KERNEL_STORE_ORACLE_H

#include "watch/store/store-decode.h"

struct kt_stored {
	uint8_t length; /* of the instruction; 0: no valid instruction */
	bool stores;    /* to memory that an operand names */
	bool system;    /* an instruction that does not write doorbells: sgdt and similar */
	bool placed;    /* `to` is right: the registers of the address are unchanged */
	uint64_t to;
	uint64_t size;
	bool known; /* `value` was stored: mov and similar */
	uint64_t value;
};

/* `registers` are those after the instruction, ip included. Always fills *out. */
void kt_store_oracle(struct kt_stored *out, const uint8_t *code, size_t n,
		     const struct dw_store_registers *registers);

#endif
