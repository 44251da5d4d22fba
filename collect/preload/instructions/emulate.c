/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "collect/preload/instructions/emulate.h"

#include <string.h>

#include "collect/preload/instructions/emulate-string.h"
#include "collect/preload/instructions/guard.h"
#include "collect/preload/instructions/instruction.h"

#define STATUS_FLAGS 0x8d5 /* OF SF ZF AF PF CF */
#define VECTOR       64    /* bytes of the largest vector register */

void kt_emulate_init(void)
{
	kt_instruction_init();
}

static uint64_t low_bytes(uint64_t value, unsigned width)
{
	return width < 8 ? value & ((1ull << 8 * width) - 1) : value;
}

static bool emulate_general(const struct kt_instruction *in, ucontext_t *context,
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

/* Of the vector register itself, what an instruction names at least. */
static unsigned register_size(const struct kt_instruction *in)
{
	return in->width < 16 ? 16 : in->width;
}

static bool emulate_vector_load(const struct kt_instruction *in, ucontext_t *context,
				const void *memory)
{
	unsigned char value[VECTOR] = {0};
	struct kt_guard_values narrow = {0};

	if (!kt_vector_present(context, in->vector, register_size(in)) ||
	    (in->kept != KT_NO_REGISTER &&
	     !kt_vector_read(context, in->kept, register_size(in), value))) {
		return false;
	}
	if (in->width >= 16) {
		if (!kt_guard_copy(in->width, value, memory)) {
			return false;
		}
	} else {
		if (!kt_guard_do(KT_LOAD, in->width, (void *)(uintptr_t)memory, &narrow)) {
			return false;
		}
		memcpy(value + in->lane, &narrow.value, in->width);
	}
	return kt_vector_write(context, in->vector, register_size(in), value,
			       in->clears_above);
}

static bool emulate_vector_store(const struct kt_instruction *in, const ucontext_t *context,
				 void *memory, struct kt_emulated_access *access)
{
	unsigned char value[VECTOR];
	struct kt_guard_values narrow = {0};

	if (!kt_vector_read(context, in->vector, register_size(in), value)) {
		return false;
	}
	if (in->width >= 16) {
		access->wide = in->width / sizeof(access->eights[0]);
		memcpy(access->eights, value, in->width);
		return kt_guard_copy(in->width, memory, value);
	}
	memcpy(&narrow.value, value + in->lane, in->width);
	access->known = true;
	access->value = narrow.value;
	return kt_guard_do(KT_STORE, in->width, memory, &narrow);
}

bool kt_emulate(ucontext_t *context, kt_translate_fn translate, void *translate_context,
		struct kt_emulated *done)
{
	uintptr_t ip = (uintptr_t)context->uc_mcontext.gregs[REG_RIP];
	struct kt_instruction in;
	struct kt_emulated_access *access = &done->accesses[0];
	bool known = true;
	bool made = false;
	void *memory;

	memset(done, 0, sizeof(*done));
	if (!kt_instruction_at(&in, ip)) {
		return false;
	}
	if (in.form == KT_FORM_STRING) {
		return kt_emulate_string(&in, context, translate, translate_context, done);
	}
	/* The other forms have one memory operand. */
	if (in.form == KT_FORM_OTHER ||
	    !kt_instruction_address(&in, context, ip, &access->address) ||
	    (in.must_be_aligned && access->address % in.width)) {
		return false;
	}
	access->size = in.width;
	access->write = in.writes;
	memory = translate(access->address, in.width, in.writes, &known, translate_context);
	if (!memory) {
		return false;
	}
	switch (in.form) {
	case KT_FORM_GENERAL: made = emulate_general(&in, context, memory, access); break;
	case KT_FORM_VECTOR_LOAD: made = emulate_vector_load(&in, context, memory); break;
	case KT_FORM_VECTOR_STORE:
		made = emulate_vector_store(&in, context, memory, access);
		break;
	default: break;
	}
	if (made) {
		kt_emulated_step_over(&in, context);
		done->n = 1;
	}
	return made;
}
