/* SPDX-License-Identifier: GPL-2.0 */
/* Where the current task stands in its program: registers and code. Any context. */
#ifndef DW_USER_CODE_H
#define DW_USER_CODE_H

#include <linux/ptrace.h>
#include <linux/types.h>

#include "watch/store/store-decode.h"

#define DW_CODE_BEFORE 64

void dw_user_registers(struct pt_regs *regs, struct dw_store_registers *out);

/*
 * The bytes before ip, code[n - 1] the last one: DW_CODE_BEFORE of them, or those of its
 * page alone if the one before is not in memory. n, 0: none can be read.
 */
size_t dw_user_code_before(u8 *code, unsigned long ip);

/* The same of those from ip on: code[0] is there; up to DW_STORE_BYTES. */
size_t dw_user_code_at(u8 *code, unsigned long ip);

#endif
