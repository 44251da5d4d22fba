/* SPDX-License-Identifier: MIT */
/*
 * What a patched store runs. Like a signal handler of the recorder it works on a stack of
 * its own, and leaves no register changed. The thread's signals wait meanwhile, unless none
 * of them has a handler. A few hundred bytes are needed on the program's stack.
 */
#ifndef KTAIL_COLLECT_PATCH_ENTRY_H
#define KTAIL_COLLECT_PATCH_ENTRY_H

#include <stdbool.h>

/* Before any of it; not in a handler. */
void kt_patch_entry_init(void);

/* Whether this processor can keep the registers that C code uses. */
bool kt_patch_entry_works(void);

/* Jumped to by trampolines alone (collect/preload/instructions/trampoline.h); no C
 * function. */
void kt_patch_entry(void);

#endif
