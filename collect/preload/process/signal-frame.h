/* SPDX-License-Identifier: MIT */
/*
 * The frame that Linux on x86-64 puts on a stack for a signal handler: where it would lie,
 * and how it is moved to another stack. All of it is safe in signal handlers.
 */
#ifndef KTAIL_COLLECT_SIGNAL_FRAME_H
#define KTAIL_COLLECT_SIGNAL_FRAME_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <ucontext.h>

#define KT_TRAP_FLAG 0x100 /* TF of EFLAGS */

/*
 * What a handler finds at its stack pointer (struct rt_sigframe of the kernel). The state
 * of the vector registers lies above it, aligned to 64 bytes; the context points to it.
 */
struct kt_signal_frame {
	uint64_t restorer;          /* where the handler returns to: rt_sigreturn */
	unsigned char context[304]; /* the kernel's ucontext, the begin of libc's */
	siginfo_t info;
};

static inline ucontext_t *kt_frame_context(struct kt_signal_frame *frame)
{
	return (ucontext_t *)(void *)frame->context;
}

/* The frame of a handler that was called with this context. */
static inline struct kt_signal_frame *kt_frame_of(ucontext_t *context)
{
	return (struct kt_signal_frame *)((char *)context -
					  offsetof(struct kt_signal_frame, context));
}

/* The signals that the interrupted code blocks; the set of the kernel has 64 bits. */
static inline uint64_t *kt_frame_mask(ucontext_t *context)
{
	return (uint64_t *)(void *)&context->uc_sigmask;
}

/*
 * Whether it is a debug exception of which the processor's DR6 has told no cause: that of
 * an icebp instruction, as Linux takes it for (exc_debug_user() of
 * arch/x86/kernel/traps.c). On virtual machines now and then also one of a watchpoint or a
 * single step, because DR6 was lost on its way to the guest (docs/internals/recording.md,
 * "Doorbells"). Not int3's.
 */
bool kt_frame_is_causeless(const siginfo_t *info, const ucontext_t *context);

/* Bytes of the saved vector registers, 0 if there are none. */
size_t kt_frame_vector_size(const ucontext_t *context);

/* Where a frame lies whose stack is free below `top`. */
struct kt_signal_frame *kt_frame_address(uintptr_t top, size_t vector_size);

/*
 * Writes a copy of the frame to `to`, which kt_frame_address() gave for the same size.
 * false: there is no memory to be written.
 */
bool kt_frame_move(struct kt_signal_frame *to, const struct kt_signal_frame *from,
		   size_t vector_size);

/* Copies memory that may not be there; false: it is not. Needs kt_frame_fixup(). */
bool kt_guarded_copy(void *to, const void *from, size_t bytes);

/* For the handler of SIGSEGV and SIGBUS: lets kt_guarded_copy() fail if it is its fault. */
bool kt_frame_fixup(ucontext_t *context);

#endif
