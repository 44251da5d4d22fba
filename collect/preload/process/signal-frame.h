/* SPDX-License-Identifier: MIT */
/*
 * The frame that Linux on x86-64 puts on the stack for a signal handler. These functions
 * compute its address and move it to another stack. All are signal-safe.
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
 * Layout at a handler's stack pointer (struct rt_sigframe of the kernel). The vector
 * registers are saved above this struct, aligned to 64 bytes; the context points to them.
 */
struct kt_signal_frame {
	uint64_t restorer;          /* return address: code that calls rt_sigreturn */
	unsigned char context[304]; /* the kernel's ucontext, a prefix of libc's */
	siginfo_t info;
};

static inline ucontext_t *kt_frame_context(struct kt_signal_frame *frame)
{
	return (ucontext_t *)(void *)frame->context;
}

/* Returns the frame of the handler that was called with this context. */
static inline struct kt_signal_frame *kt_frame_of(ucontext_t *context)
{
	return (struct kt_signal_frame *)((char *)context -
					  offsetof(struct kt_signal_frame, context));
}

/* Returns the signal mask of the interrupted code; the kernel's set has 64 bits. */
static inline uint64_t *kt_frame_mask(ucontext_t *context)
{
	return (uint64_t *)(void *)&context->uc_sigmask;
}

/*
 * Returns whether the signal is a debug exception for which DR6 reports no cause; false for
 * int3. Linux takes such an exception for an icebp instruction (exc_debug_user() of
 * arch/x86/kernel/traps.c). On virtual machines, a watchpoint or single step occasionally
 * causes one too, because DR6 was lost on its way to the guest
 * (docs/internals/recording.md, "Doorbells").
 */
bool kt_frame_is_causeless(const siginfo_t *info, const ucontext_t *context);

/* Returns the size in bytes of the saved vector registers; 0 if there are none. */
size_t kt_frame_vector_size(const ucontext_t *context);

/*
 * Returns the address for a frame, with `vector_size` bytes of vector registers above it,
 * on a stack whose free part ends at `top`.
 */
struct kt_signal_frame *kt_frame_address(uintptr_t top, size_t vector_size);

/*
 * Copies the frame and its vector registers to `to`, the result of kt_frame_address() for
 * the same vector_size. Returns false if the memory at `to` cannot be written.
 */
bool kt_frame_move(struct kt_signal_frame *to, const struct kt_signal_frame *from,
		   size_t vector_size);

/*
 * Copies memory. Returns false if a byte of either range cannot be accessed. The fault
 * handler must call kt_frame_fixup().
 */
bool kt_guarded_copy(void *to, const void *from, size_t bytes);

/*
 * For the handler of SIGSEGV and SIGBUS: if kt_guarded_copy() caused the fault, makes the
 * copy fail and returns true.
 */
bool kt_frame_fixup(ucontext_t *context);

#endif
