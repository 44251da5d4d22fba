/* SPDX-License-Identifier: MIT */
/*
 * Stack of the recorder's handlers: one for each thread, separate from the application's
 * stacks. It is also the thread's alternate signal stack while the application has not set
 * one, so that faults of a thread whose stack is full can be handled.
 */
#ifndef KTAIL_COLLECT_HANDLER_STACK_H
#define KTAIL_COLLECT_HANDLER_STACK_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#define KT_HANDLER_STACK 131072 /* bytes; signal-entry.c contains this number too */

/*
 * Bytes. Above the handlers' stack, after a closed page, lies a stack for the code of
 * patched stores. That code needs a stack of its own, because a handler may interrupt it.
 * patch-entry.c contains these two numbers too.
 */
#define KT_HANDLER_STACK_GAP        4096
#define KT_HANDLER_STACK_OF_PATCHES 65536

/* The alternate stack that the application has set in the calling thread; size 0: none. */
struct kt_alternate_stack {
	uintptr_t start;
	size_t size;
};

extern _Thread_local struct kt_alternate_stack kt_alternate_stack;

/* Top of the calling thread's stack for handlers; 0 if the thread has none. */
extern _Thread_local uintptr_t kt_handler_stack_top;

/*
 * Allocates the calling thread's stack, unless the thread has one. On failure, counts a
 * setup failure.
 */
void kt_handler_stack_make(void);

/* Frees the calling thread's stack; call before the thread ends. */
void kt_handler_stack_free(void);

/* Returns whether an alternate stack reported by the kernel is the recorder's. */
bool kt_handler_stack_is(const stack_t *stack);

/*
 * Returns the alternate stack that the application has set; `known` is the alternate stack
 * that the kernel reports.
 */
stack_t kt_handler_stack_seen(const stack_t *known);

/*
 * Returns whether sp is on this thread's alternate stack: the application's, or the stack
 * of the recorder's handlers in its place. Handlers of the application may run on either.
 */
bool kt_handler_stack_is_alternate(uintptr_t sp);

/*
 * sigaltstack(2) as the application sees it. Returns 0 or -errno; -EFAULT if a pointer is
 * invalid.
 */
long kt_signals_altstack(const stack_t *stack, stack_t *old);

#endif
