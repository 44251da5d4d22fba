/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "collect/preload/instructions/emulate.h"
#include "collect/preload/instructions/guard.h"
#include "collect/preload/instructions/instruction.h"

#define STATUS_FLAGS 0x8d5 /* OF SF ZF AF PF CF */

static uint64_t low_bytes(uint64_t value, unsigned width)
{
	return width < 8 ? value & ((1ull << 8 * width) - 1) : value;
}

bool kt_emulate_operation(const struct kt_instruction *in, ucontext_t *context,
			  void *memory, struct kt_emulated_access *access)
{
	uint64_t source = kt_instruction_source(in, context);
	struct kt_guard_values values = {
		.value = source,
		.flags = (uint64_t)context->uc_mcontext.gregs[REG_EFL],
		.rax = kt_register_read(context, KT_RAX),
	};
	greg_t *flags = &context->uc_mcontext.gregs[REG_EFL];
	unsigned above = 64 - 8 * in->width;
	uint64_t value;

	if (!kt_guard_do(in->action, in->width, memory, &values)) {
		return false;
	}
	if (in->action != KT_STORE && in->action != KT_LOAD && in->action != KT_XCHG &&
	    in->action != KT_NOT && in->action != KT_LOCKED + 12 /* lock not */) {
		*flags = (*flags & ~STATUS_FLAGS) | ((greg_t)values.flags & STATUS_FLAGS);
	}
	switch (in->action) {
	case KT_LOAD:
		value = low_bytes(values.value, in->width);
		if (in->swaps) {
			value = kt_swap_bytes(value, in->width);
		} else if (in->extends_sign) {
			value = (uint64_t)((int64_t)(value << above) >> above);
		}
		kt_part_write(context, in->part, value);
		break;
	case KT_CMPXCHG:
	case KT_LOCKED + (KT_CMPXCHG - KT_ADD_TO):
		kt_register_write(context, KT_RAX, values.rax);
		break;
	case KT_XADD:
	case KT_LOCKED + (KT_XADD - KT_ADD_TO):
	case KT_XCHG:
	case KT_ADD_FROM:
	case KT_OR_FROM:
	case KT_ADC_FROM:
	case KT_SBB_FROM:
	case KT_AND_FROM:
	case KT_SUB_FROM:
	case KT_XOR_FROM: kt_part_write(context, in->part, values.value); break;
	default: break;
	}
	access->known = in->action == KT_STORE || in->action == KT_XCHG;
	access->value = low_bytes(source, in->width);
	return true;
}
