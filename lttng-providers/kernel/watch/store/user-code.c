// SPDX-License-Identifier: GPL-2.0
#include "watch/store/user-code.h"

#include <linux/mm.h>
#include <linux/uaccess.h>

void dw_user_registers(struct pt_regs *regs, struct dw_store_registers *out)
{
#ifdef CONFIG_X86_64
	*out = (struct dw_store_registers){
		.general = {regs->ax, regs->cx, regs->dx, regs->bx, regs->sp, regs->bp,
			    regs->si, regs->di, regs->r8, regs->r9, regs->r10, regs->r11,
			    regs->r12, regs->r13, regs->r14, regs->r15},
		.ip = regs->ip,
		.flags = regs->flags,
		.bits = user_64bit_mode(regs) ? 64 : 32,
	};
#else
#error "x86-64 only"
#endif
}

static bool read(u8 *code, unsigned long at, size_t n)
{
	return !copy_from_user_nofault(code, (void __user *)at, n);
}

size_t dw_user_code_before(u8 *code, unsigned long ip)
{
	size_t in_page = ((ip - 1) & ~PAGE_MASK) + 1;

	if (read(code, ip - DW_CODE_BEFORE, DW_CODE_BEFORE)) {
		return DW_CODE_BEFORE;
	}
	return in_page < DW_CODE_BEFORE && read(code, ip - in_page, in_page) ? in_page : 0;
}

size_t dw_user_code_at(u8 *code, unsigned long ip)
{
	size_t in_page = min_t(size_t, DW_STORE_BYTES, PAGE_SIZE - (ip & ~PAGE_MASK));

	if (read(code, ip, DW_STORE_BYTES)) {
		return DW_STORE_BYTES;
	}
	return read(code, ip, in_page) ? in_page : 0;
}
