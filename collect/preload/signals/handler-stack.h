/* SPDX-License-Identifier: MIT */
/*
 * The stack on which the recorder's handlers run: one for each thread, beside the stacks of
 * the application. While a thread has no alternate signal stack of its own, the kernel gets
 * this one in its place, so that a thread whose stack is full can still be helped.
 */
#ifndef KTAIL_COLLECT_HANDLER_STACK_H
#define KTAIL_COLLECT_HANDLER_STACK_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#define KT_HANDLER_STACK 131072 /* bytes; the entry in signal-entry.c knows it too */

/*
 * Above it, beyond a closed page, lies another one for patched stores, which a handler may
 * interrupt. patch-entry.c knows these.
 */
#define KT_HANDLER_STACK_GAP        4096
#define KT_HANDLER_STACK_OF_PATCHES 65536

/* Its end, where it begins to fill; 0: the calling thread has none. */
extern _Thread_local uintptr_t kt_handler_stack_top;

/* Makes one for the calling thread, unless it has one. Without memory it has none. */
void kt_handler_stack_make(void);

/* Gives it back before the thread ends. */
void kt_handler_stack_free(void);

/* Whether an alternate stack that the kernel names is the recorder's. */
bool kt_handler_stack_is(const stack_t *stack);

/* The application's own alternate stack where the kernel names `known`. */
stack_t kt_handler_stack_seen(const stack_t *known);

/*
 * Whether it lies on this thread's alternate stack: the one that the application has set,
 * or the recorder's in its place, on which handlers of the application may run too.
 */
bool kt_handler_stack_is_alternate(uintptr_t sp);

/* sigaltstack(2) as the application sees it; -errno on failure. Pointers may be wrong. */
long kt_signals_altstack(const stack_t *stack, stack_t *old);

#endif
