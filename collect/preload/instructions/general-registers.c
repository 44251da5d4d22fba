/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "collect/preload/instructions/registers.h"

static greg_t *slot(ucontext_t *context, unsigned number)
{
	static const uint8_t order[] = {
		REG_RAX, REG_RCX, REG_RDX, REG_RBX, REG_RSP, REG_RBP, REG_RSI, REG_RDI,
		REG_R8,  REG_R9,  REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15};

	return &context->uc_mcontext.gregs[order[number & 15]];
}

uint64_t kt_register_read(const ucontext_t *context, unsigned number)
{
	return (uint64_t)*slot((ucontext_t *)(uintptr_t)context, number);
}

void kt_register_write(ucontext_t *context, unsigned number, uint64_t value)
{
	*slot(context, number) = (greg_t)value;
}

uint64_t kt_part_read(const ucontext_t *context, struct kt_part part)
{
	return kt_register_read(context, part.number) >> part.shift;
}

void kt_part_write(ucontext_t *context, struct kt_part part, uint64_t value)
{
	uint64_t mask;

	if (part.size >= 4) {
		kt_register_write(context, part.number,
				  part.size == 4 ? (uint32_t)value : value);
		return;
	}
	mask = (part.size == 1 ? 0xffull : 0xffffull) << part.shift;
	value = (value << part.shift) & mask;
	kt_register_write(context, part.number,
			  (kt_register_read(context, part.number) & ~mask) | value);
}
