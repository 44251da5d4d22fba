/* SPDX-License-Identifier: MIT */
/*
 * The recorder's only lock protects sequence numbers, tables and page protection. Both
 * ordinary code and fault handlers take it, so it records its owner: in a handler that has
 * interrupted the owner, kt_lock() fails instead of deadlocking.
 */
#ifndef KTAIL_COLLECT_LOCK_H
#define KTAIL_COLLECT_LOCK_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* Returns the caller's thread id, cached per thread. */
uint32_t kt_tid(void);

/*
 * A thread's former cancellation state. kt_cancel_off() keeps the calling thread from being
 * cancelled, and kt_cancel_back() restores the state. LTTng passes cancellation points when
 * it waits for space in a full buffer and when it wakes its consumer. If a thread were
 * cancelled there, it would never release LTTng's locks and the recorder's lock.
 *
 * Pairs of calls may nest. Both functions are safe in signal handlers, because libc only
 * changes an integer in the thread's own memory. Both functions end the calling thread if
 * it allows asynchronous cancellation and has been cancelled.
 */
struct kt_cancel {
	int state;
	int type;
};

void kt_cancel_off(struct kt_cancel *before);
void kt_cancel_back(const struct kt_cancel *before);

/*
 * A thread's former signal mask and cancellation state. kt_signals_hold() disables
 * cancellation and keeps handlers of the application from running: their signals are
 * deferred (collect/preload/signals/signal-defer.h) or, if a handler may not be wrapped,
 * blocked. kt_signals_block() always blocks them, all but the recorder's own.
 * kt_signals_restore() undoes either. Otherwise a handler could find the lock held by its
 * own thread, or jump out of the interrupted code and leave the lock held for ever.
 */
struct kt_signals_saved {
	struct kt_cancel cancel;
	bool deferred;
	uint64_t blocked; /* the kernel's mask, unless `deferred` */
};

void kt_signals_hold(struct kt_signals_saved *before);
void kt_signals_block(struct kt_signals_saved *before);
void kt_signals_restore(const struct kt_signals_saved *before);

/*
 * Takes the lock. Returns false, and takes nothing, if the calling thread holds it already
 * or the recorder has stopped in this process. Until the lock is released, no handler of
 * the application runs in the thread, and the thread is not cancelled. Makes no system call
 * unless another thread holds the lock, handlers of the application may be unwrapped
 * (signal-wrap.h), or the thread may be cancelled at any time.
 */
bool kt_lock(void);

/* Returns whether the calling thread holds the lock. */
bool kt_lock_is_mine(void);

/*
 * Returns how many times the lock was taken. Between two calls that return the same number,
 * a thread that does not own the lock knows that nothing protected by it has changed.
 */
extern _Atomic uint64_t kt_lock_turns;

static inline uint64_t kt_lock_turn(void)
{
	return atomic_load_explicit(&kt_lock_turns, memory_order_relaxed);
}

/*
 * Returns the signal mask and cancellation state that the owner's thread had before it took
 * the lock. A forked child uses this to restore them itself.
 */
struct kt_signals_saved kt_lock_signals_saved(void);

/* Releases the lock. `taken` is the result of kt_lock(); if false, does nothing. */
void kt_unlock(bool taken);

/*
 * Call kt_change_begin() before and kt_change_end() after changing a table that signal
 * handlers read. In between, all signals of the thread are blocked, so no handler sees a
 * half-changed table; *signals keeps the former mask. The caller holds the lock. Pairs of
 * calls must not nest.
 */
void kt_change_begin(uint64_t *signals);
void kt_change_end(const uint64_t *signals);

/* In a forked child: frees the lock and forgets the cached thread id. */
void kt_lock_after_fork(void);

#endif
