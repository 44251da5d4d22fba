/* SPDX-License-Identifier: MIT */
/*
 * Does the memory access of an instruction that has faulted, through another mapping of the
 * same memory, and steps over the instruction: the pages themselves stay closed. Safe in
 * signal handlers: no allocation, no lock of its own. The recorder's lock is held.
 */
#ifndef KTAIL_COLLECT_EMULATE_H
#define KTAIL_COLLECT_EMULATE_H

#include "collect/preload/instructions/emulated.h"

/* Before any of it; not in a handler. */
void kt_emulate_init(void);

/*
 * The instruction at the context's RIP has faulted. true: its access was made, registers,
 * flags and RIP are as after it, *done says what was touched. A repeated string
 * instruction may be done in part: then RIP stays and its count is what is left. false:
 * nothing was done. The other memory may be cut short (SIGBUS) if the handler of that
 * signal calls kt_guard_fixup() (collect/preload/instructions/guard.h). O(size).
 */
bool kt_emulate(ucontext_t *context, kt_translate_fn translate, void *translate_context,
		struct kt_emulated *done);

#endif
