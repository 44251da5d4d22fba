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
 * Copies the n bytes before ip to code[0..n) and returns n, or 0 if no bytes can be read. n
 * is DW_CODE_BEFORE or, if these bytes begin in a page that is not in memory, the number of
 * bytes from the start of the next page to ip.
 */
size_t dw_user_code_before(u8 *code, unsigned long ip);

/*
 * Copies up to DW_STORE_BYTES bytes from ip on to `code`. Returns how many bytes were
 * copied; 0 if none can be read.
 */
size_t dw_user_code_at(u8 *code, unsigned long ip);

#endif
