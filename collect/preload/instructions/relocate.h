/* SPDX-License-Identifier: MIT */
/*
 * Machine code that runs at another address: one instruction, written so that it does there
 * what it does where it stands. Signal-safe. x86-64.
 */
#ifndef KTAIL_COLLECT_RELOCATE_H
#define KTAIL_COLLECT_RELOCATE_H

#include <stddef.h>
#include <stdint.h>

#define KT_RELOCATED_MAX 15 /* bytes of one instruction, moved */

/* What comes after an instruction. */
enum kt_flow {
	KT_FLOW_ON,     /* the next one, always or sometimes */
	KT_FLOW_ENDS,   /* anything: another function, padding, data */
	KT_FLOW_FILLER, /* the next one, and this one does nothing */
};

/* Before any of it; not in a handler. */
void kt_relocate_init(void);

/*
 * The instruction that code[0..n) begins with, and that stands at `from`, for `to`: how
 * many bytes were put into out, and in *length how many it has where it stands. 0: it
 * cannot be moved. That is one that is no instruction or is cut off, a call (what returns
 * to the copy is in nobody's unwind table), a trap or system call, a loop or jrcxz (they
 * reach 127 bytes), a branch with an operand size (processors differ), and one whose
 * operand or target is too far from `to`.
 */
size_t kt_relocate(uint8_t out[static KT_RELOCATED_MAX], uintptr_t to, const uint8_t *code,
		   size_t n, uintptr_t from, size_t *length);

/* Of the instruction that code[0..n) begins with, one that can be moved. */
enum kt_flow kt_relocate_flow(const uint8_t *code, size_t n);

/* A jump of five bytes from `from` to `to`. 0: too far; else 5. */
size_t kt_relocate_jump(uint8_t out[static 5], uintptr_t from, uintptr_t to);

#endif
