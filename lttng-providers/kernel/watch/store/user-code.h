/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Registers and code of the current task at its user-mode instruction pointer. Any context.
 */
#ifndef DW_USER_CODE_H
#define DW_USER_CODE_H

#include <linux/ptrace.h>
#include <linux/types.h>

#include "watch/store/store-decode.h"

#define DW_CODE_BEFORE 64

void dw_user_registers(struct pt_regs *regs, struct dw_store_registers *out);

/*
 * Copies the n bytes before ip to code[0..n). n is DW_CODE_BEFORE or, if the page before is
 * not in memory, the number of bytes in the page of ip - 1. Returns n, or 0 if none can be
 * read.
 */
size_t dw_user_code_before(u8 *code, unsigned long ip);

/*
 * Copies up to DW_STORE_BYTES bytes from ip on to `code`. Returns their number, 0 if none
 * can be read.
 */
size_t dw_user_code_at(u8 *code, unsigned long ip);

#endif
