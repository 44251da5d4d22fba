/* SPDX-License-Identifier: MIT */
/*
 * Translates between the set of signals that the application asked to block and the mask
 * that the kernel has.
 *
 * The recorder's signals (SIGSEGV, SIGBUS, SIGTRAP) are never blocked in the kernel. If the
 * application blocks one, the kernel's mask has the bit of another signal that programs do
 * not use, its carrier. The bit is thus saved and restored with the mask even without our
 * help: by sigreturn, siglongjmp, setcontext, in new threads and forks. A signal sent while
 * it is blocked stays pending in the kernel as the carrier.
 */
#ifndef KTAIL_COLLECT_SIGNAL_MASK_H
#define KTAIL_COLLECT_SIGNAL_MASK_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collect/preload/signals/signal-carry.h"

/* Translates the application's set to the kernel's. */
uint64_t kt_mask_to_kernel(uint64_t asked);

/* Likewise for a set of libc's, in *buffer. NULL stays NULL. */
const sigset_t *kt_mask_translated(const sigset_t *set, sigset_t *buffer);

/*
 * Translates the kernel's set to the application's. Whether the application asked for the
 * carriers themselves is guessed.
 */
uint64_t kt_mask_to_application(uint64_t real);

/* Likewise for the calling thread's mask, with the carriers as remembered, not guessed. */
uint64_t kt_mask_seen(uint64_t real);

/*
 * rt_sigprocmask(2) as the application sees it, with the kernel's results; pointers may be
 * invalid. Before kt_mask_enable() it is the kernel's.
 */
long kt_signals_mask(int how, const uint64_t *set, uint64_t *old, size_t size);

/*
 * Call when the recorder's handlers are installed: from now on the recorder's signals are
 * never blocked in the kernel.
 */
void kt_mask_enable(void);

/* Block in the kernel what the application asked for, and undo this if the exec failed. */
void kt_mask_before_exec(void);
void kt_mask_after_exec(void);

/* Restores the application's mask; from now on rt_sigprocmask(2) is the kernel's. */
void kt_mask_give_back(void);

/* Return and set the remembered set, which a new thread inherits. */
uint64_t kt_mask_memory(void);
void kt_mask_remember(uint64_t memory);

#endif
