/* SPDX-License-Identifier: MIT */
/* What an instruction stores and where, by Zydis and the registers after it. */
#ifndef KTAIL_TESTS_KERNEL_STORE_ORACLE_H
#define KTAIL_TESTS_KERNEL_STORE_ORACLE_H

#include "watch/store/store-decode.h"

struct kt_stored {
	uint8_t length; /* of the instruction; 0: none begins there */
	bool stores;    /* to memory that is named by an operand */
	bool system;    /* of those that no doorbell is rung with: sgdt and the like */
	bool placed;    /* `to` is right: the instruction leaves its registers alone */
	uint64_t to;
	uint64_t size;
	bool known; /* `value` was stored: mov and its like */
	uint64_t value;
};

/* registers->ip is that after the instruction. Always fills *out. */
void kt_store_oracle(struct kt_stored *out, const uint8_t *code, size_t n,
		     const struct dw_store_registers *registers);

#endif
