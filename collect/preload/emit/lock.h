/* SPDX-License-Identifier: MIT */
/*
 * The recorder's only lock: it protects sequence numbers, tables and page protection
 * together. Ordinary code and the fault handlers take it, so it knows its owner: kt_lock()
 * fails in a handler that has interrupted the owner, instead of deadlocking.
 */
#ifndef KTAIL_COLLECT_LOCK_H
#define KTAIL_COLLECT_LOCK_H

#include <stdbool.h>
#include <stdint.h>

/* Returns the caller's thread id, cached per thread. */
uint32_t kt_tid(void);

/*
 * Keeps the calling thread from being cancelled. LTTng waits for space in a full buffer,
 * and wakes its consumer, through cancellation points; a thread cancelled there would never
 * release LTTng's locks and ours.
 *
 * Nests, and is safe in signal handlers, because libc only changes a word of the thread's
 * own. Both functions end a thread that allows asynchronous cancellation and has been
 * cancelled.
 */
struct kt_cancel {
	int state;
	int type;
};

void kt_cancel_off(struct kt_cancel *before);
void kt_cancel_back(const struct kt_cancel *before);

/*
 * Disables cancellation and blocks all signals but the recorder's own. Otherwise, a handler
 * of the application could find the lock held by its own thread, or jump out of the
 * interrupted code and leave the lock held for ever.
 */
struct kt_signals_saved {
	struct kt_cancel cancel;
	uint64_t blocked; /* the kernel's mask */
};

void kt_signals_block(struct kt_signals_saved *before);
void kt_signals_restore(const struct kt_signals_saved *before);

/*
 * Takes the lock. Returns false, with nothing taken, if the calling thread holds it
 * already. Signals and cancellation stay blocked until the lock is released, so a thread
 * is never cancelled while it holds the lock.
 */
bool kt_lock(void);

/* Returns whether the calling thread holds the lock. */
bool kt_lock_is_mine(void);

/* How often the lock has been taken. Only its owner may read this. */
extern uint64_t kt_lock_turns;

/*
 * True within the recorder's handlers: the thread's signals and cancellation are blocked
 * already.
 */
extern _Thread_local bool kt_signals_blocked;

/*
 * Returns the signal mask and cancellation state that the owner's thread had before it took
 * the lock. A forked child restores them itself.
 */
struct kt_signals_saved kt_lock_signals_saved(void);

/* Releases the lock. `taken` is the result of kt_lock(); if false, does nothing. */
void kt_unlock(bool taken);

/*
 * Bracket a change of a table that signal handlers read: all of the thread's signals are
 * blocked, so no handler sees the table half changed. The caller holds the lock. Does not
 * nest.
 */
void kt_change_begin(uint64_t *signals);
void kt_change_end(const uint64_t *signals);

/* In a forked child: frees the lock and forgets the cached thread id. */
void kt_lock_after_fork(void);

#endif
