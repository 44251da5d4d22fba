/* SPDX-License-Identifier: MIT */
/*
 * Translates between the set of signals that the application asked to block and the mask
 * that the kernel has.
 *
 * The recorder's signals (SIGSEGV, SIGBUS, SIGTRAP) are never blocked in the kernel. If the
 * application blocks one, the kernel's mask has instead the bit of its carrier: another
 * signal, which programs do not use. This bit is saved and restored with the rest of the
 * mask, without the recorder's help: by sigreturn, siglongjmp, setcontext, in new threads
 * and forks. If one of the recorder's signals is sent while the application blocks it, the
 * carrier stays pending in the kernel.
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

/* Translates a set of libc into *buffer and returns buffer; returns NULL for NULL. */
const sigset_t *kt_mask_translated(const sigset_t *set, sigset_t *buffer);

/*
 * Translates the kernel's set to the application's. Guesses whether the application asked
 * for the carriers themselves.
 */
uint64_t kt_mask_to_application(uint64_t real);

/*
 * Translates `real`, the kernel's mask of the calling thread, to the application's. Guesses
 * only for signals for which `real` differs from the set remembered for the thread.
 */
uint64_t kt_mask_seen(uint64_t real);

/*
 * rt_sigprocmask(2) as the application sees it. Returns 0 or -errno; -EFAULT if a pointer
 * is invalid. Before kt_mask_enable(), passes the call to the kernel unchanged.
 */
long kt_signals_mask(int how, const uint64_t *set, uint64_t *old, size_t size);

/*
 * Call when the recorder's handlers are installed: from now on the recorder's signals are
 * never blocked in the kernel.
 */
void kt_mask_enable(void);

/* Set the kernel's mask to what the application asked for, and undo this if exec failed. */
void kt_mask_before_exec(void);
void kt_mask_after_exec(void);

/* Undoes kt_mask_enable() and sets the kernel's mask to what the application asked for. */
void kt_mask_give_back(void);

/*
 * Get and replace the set remembered for the calling thread. A new thread inherits the set
 * of its creator.
 */
uint64_t kt_mask_memory(void);
void kt_mask_remember(uint64_t memory);

#endif
