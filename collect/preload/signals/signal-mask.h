/* SPDX-License-Identifier: MIT */
/*
 * Which signals a thread blocks, as the application sees it and as it really is.
 *
 * The recorder's signals (SIGSEGV, SIGBUS, SIGTRAP) are never really blocked. That the
 * application has blocked one is kept in the thread's real mask all the same, as the bit of
 * another signal that programs do not use, its carrier. So it is saved and restored with
 * that mask wherever this happens without us: sigreturn, siglongjmp, setcontext, new
 * threads, fork. And what is sent while it is blocked waits in the kernel as the carrier.
 */
#ifndef KTAIL_COLLECT_SIGNAL_MASK_H
#define KTAIL_COLLECT_SIGNAL_MASK_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collect/preload/signals/signal-carry.h"

/* A set as the application means it, as it is given to the kernel. */
uint64_t kt_mask_to_kernel(uint64_t asked);

/* The same for a set of libc's, in *buffer. NULL stays NULL. */
const sigset_t *kt_mask_translated(const sigset_t *set, sigset_t *buffer);

/* The other way round. What the application had asked for the carriers is guessed. */
uint64_t kt_mask_to_application(uint64_t real);

/* The same for the calling thread's mask, for which it is remembered. */
uint64_t kt_mask_seen(uint64_t real);

/*
 * rt_sigprocmask(2) as the application sees it: the result as the kernel gives it, pointers
 * may be wrong. Before kt_mask_enable() it is the kernel's own.
 */
long kt_signals_mask(int how, const uint64_t *set, uint64_t *old, size_t size);

/* The recorder's handlers are there: from now on its signals are not really blocked. */
void kt_mask_enable(void);

/* For another program: what is really blocked is what the application asked for. */
void kt_mask_before_exec(void);
void kt_mask_after_exec(void);

/* For good: from now on rt_sigprocmask(2) is the kernel's own. */
void kt_mask_give_back(void);

/* What a new thread inherits of what the recorder remembers. */
uint64_t kt_mask_memory(void);
void kt_mask_remember(uint64_t memory);

#endif
