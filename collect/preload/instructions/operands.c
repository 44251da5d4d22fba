/* SPDX-License-Identifier: MIT */
/* Evaluates the operands of instructions with the registers of a thread. */
#define _GNU_SOURCE
#include <asm/prctl.h>

#include "collect/preload/instructions/instruction.h"
#include "collect/preload/process/kernel.h"

uint64_t kt_swap_bytes(uint64_t value, unsigned width)
{
	return __builtin_bswap64(value) >> (64 - 8 * width);
}

bool kt_instruction_address(const struct kt_instruction *instruction,
			    const ucontext_t *context, uintptr_t ip, uintptr_t *address)
{
	uint64_t segment = 0;
	uint64_t at = (uint64_t)instruction->displacement;

	if (instruction->base == KT_REGISTER_RIP) {
		at += ip + instruction->length;
	} else if (instruction->base != KT_NO_REGISTER) {
		at += kt_register_read(context, instruction->base);
	}
	if (instruction->index != KT_NO_REGISTER) {
		at += kt_register_read(context, instruction->index) * instruction->scale;
	}
	if (instruction->narrow) {
		at = (uint32_t)at;
	}
	/* arch_prctl() reads the base of this thread, to which the context belongs. */
	if (instruction->segment &&
	    KT_KERNEL(SYS_arch_prctl,
		      instruction->segment == 'f' ? ARCH_GET_FS : ARCH_GET_GS,
		      &segment) != 0) {
		return false;
	}
	*address = segment + at;
	return true;
}

uint64_t kt_instruction_source(const struct kt_instruction *instruction,
			       const ucontext_t *context)
{
	uint64_t value = instruction->has_immediate
				 ? instruction->immediate
				 : kt_part_read(context, instruction->part);

	return instruction->swaps ? kt_swap_bytes(value, instruction->width) : value;
}
