/* SPDX-License-Identifier: MIT */
/*
 * A short way through a patch, for an access that only continues the open run, or is not
 * to watched memory: no lock, no system call, and the vector registers are not saved. So
 * this file, and the files whose functions it calls, are compiled for general registers
 * only (collect/CMakeLists.txt).
 *
 * Commands are often written to write-combining memory. An instruction with a lock prefix
 * makes the processor write all such stores out first, which takes about 400 ns (Intel SDM
 * vol. 3, 12.3.1), so there is none on this way.
 */
#define _GNU_SOURCE
#include "collect/preload/access/patch.h"

#include "collect/preload/instructions/emulate.h"
#include "collect/preload/instructions/guard.h"
#include "collect/preload/instructions/patch-sites.h"
#include "collect/preload/mappings/continuing.h"
#include "collect/preload/mappings/spans.h"

static bool make_access(const struct kt_instruction *in, ucontext_t *context, void *memory,
			uintptr_t address)
{
	struct kt_emulated_access access;

	if (in->form == KT_FORM_GENERAL) {
		return kt_emulate_operation(in, context, memory, &access);
	}
	return !(in->must_be_aligned && address % in->width) &&
	       kt_guard_vector(in->form == KT_FORM_VECTOR_STORE, in->width,
			       in->clears_above, in->vector, memory);
}

__attribute__((used)) bool kt_patch_continues(ucontext_t *context, uint64_t *slot);

bool kt_patch_continues(ucontext_t *context, uint64_t *slot)
{
	struct kt_patch_site *s = &kt_patch_sites[(uint32_t)*slot];
	const struct kt_instruction *in = &s->patch.instruction;
	greg_t *registers = context->uc_mcontext.gregs;
	uintptr_t address;
	void *memory;

	if (atomic_load(&s->state) < KT_PATCH_IN) {
		return false;
	}
	registers[REG_RSP] = (greg_t)kt_patch_stack_pointer(slot);
	if (!kt_instruction_address(in, context, s->patch.site, &address)) {
		return false;
	}
	if (!kt_spans_may_touch(address, in->width)) {
		kt_patch_count(&s->strays);
		if (kt_patch_has_strayed(s)) {
			return false;
		}
		*slot = s->patch.again;
		return true;
	}
	memory = kt_continuing_alias(address, in->width, in->writes);
	if (!memory || !make_access(in, context, memory, address)) {
		return false;
	}
	kt_patch_count(&s->run.continued);
	*slot = s->patch.after_access;
	return true;
}
