/* SPDX-License-Identifier: MIT */
/* The part of kt_emulate() (collect/preload/instructions/emulate.h) that does movs, stos
 * and lods. */
#ifndef KTAIL_COLLECT_EMULATE_STRING_H
#define KTAIL_COLLECT_EMULATE_STRING_H

#include "collect/preload/instructions/emulated.h"

bool kt_emulate_string(const struct kt_instruction *instruction, ucontext_t *context,
		       kt_translate_fn translate, void *translate_context,
		       struct kt_emulated *done);

#endif
