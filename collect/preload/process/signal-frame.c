/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "collect/preload/process/signal-frame.h"

#include <assert.h>
#include <string.h>

#define VECTOR_ALIGNMENT 64
#define FRAME_ALIGNMENT  16
#define LEGACY_SIZE      512 /* bytes of the fxsave area */
#define SOFTWARE_BYTES   464 /* offset of struct _fpx_sw_bytes in the fxsave area */
#define EXTENDED_MAGIC   0x46505853u
#define VECTORS_AT       offsetof(ucontext_t, uc_mcontext.fpregs)
#define VECTOR_MAX       65536 /* bytes: more than the registers of any processor */
#define TRAP_BRKPT_CODE  1     /* TRAP_BRKPT */
#define DEBUG_EXCEPTION  1     /* trap number of a debug exception; that of int3 is 3 */

static_assert(sizeof(struct kt_signal_frame) == 440, "struct rt_sigframe of x86-64");

/*
 * rep movsb leaves the number of uncopied bytes in %rcx. If rep movsb faults, the fault
 * handler continues at the next instruction, so the copy ends there.
 */
__asm__(".text\n"
	".hidden kt_guarded_copy_at, kt_guarded_copy_end, kt_guarded_copy_bytes\n"
	".globl kt_guarded_copy_bytes\n"
	".type kt_guarded_copy_bytes, @function\n"
	"kt_guarded_copy_bytes:\n"
	"	.cfi_startproc\n"
	"	movq %rdx, %rcx\n"
	".globl kt_guarded_copy_at\n"
	"kt_guarded_copy_at:\n"
	"	rep movsb\n"
	".globl kt_guarded_copy_end\n"
	"kt_guarded_copy_end:\n"
	"	movq %rcx, %rax\n"
	"	ret\n"
	"	.cfi_endproc\n"
	".size kt_guarded_copy_bytes, . - kt_guarded_copy_bytes\n");

extern const char kt_guarded_copy_at[];
extern const char kt_guarded_copy_end[];
size_t kt_guarded_copy_bytes(void *to, const void *from, size_t bytes);

bool kt_guarded_copy(void *to, const void *from, size_t bytes)
{
	return kt_guarded_copy_bytes(to, from, bytes) == 0;
}

bool kt_frame_fixup(ucontext_t *context)
{
	greg_t *ip = &context->uc_mcontext.gregs[REG_RIP];

	if (*ip != (greg_t)(uintptr_t)kt_guarded_copy_at) {
		return false;
	}
	*ip = (greg_t)(uintptr_t)kt_guarded_copy_end;
	return true;
}

size_t kt_frame_vector_size(const ucontext_t *context)
{
	const char *state = (const char *)context->uc_mcontext.fpregs;
	uint32_t software[2]; /* magic, extended size */

	if (!state) {
		return 0;
	}
	memcpy(software, state + SOFTWARE_BYTES, sizeof(software));
	if (software[0] != EXTENDED_MAGIC || software[1] < LEGACY_SIZE ||
	    software[1] > VECTOR_MAX) {
		return LEGACY_SIZE;
	}
	return software[1];
}

bool kt_frame_is_causeless(const siginfo_t *info, const ucontext_t *context)
{
	const greg_t *registers = context->uc_mcontext.gregs;

	return info->si_code == TRAP_BRKPT_CODE &&
	       registers[REG_TRAPNO] == DEBUG_EXCEPTION &&
	       (uintptr_t)info->si_addr == (uintptr_t)registers[REG_RIP];
}

struct kt_signal_frame *kt_frame_address(uintptr_t top, size_t vector_size)
{
	uintptr_t vectors = (top - vector_size) & ~(uintptr_t)(VECTOR_ALIGNMENT - 1);
	uintptr_t at = vectors - sizeof(struct kt_signal_frame);

	/*
	 * Aligns the frame like the stack pointer at a function's entry, which is 8 bytes
	 * (the return address) below a multiple of 16.
	 */
	return (void *)((at & ~(uintptr_t)(FRAME_ALIGNMENT - 1)) - sizeof(uint64_t));
}

bool kt_frame_move(struct kt_signal_frame *to, const struct kt_signal_frame *from,
		   size_t vector_size)
{
	struct kt_signal_frame copy = *from;
	uintptr_t above = (uintptr_t)(to + 1) + VECTOR_ALIGNMENT - 1;
	void *target = (void *)(above & ~(uintptr_t)(VECTOR_ALIGNMENT - 1));
	const void *vectors;

	memcpy(&vectors, copy.context + VECTORS_AT, sizeof(vectors));
	if (vectors) {
		memcpy(copy.context + VECTORS_AT, &target, sizeof(target));
	}
	return kt_guarded_copy(target, vectors, vectors ? vector_size : 0) &&
	       kt_guarded_copy(to, &copy, sizeof(copy));
}
