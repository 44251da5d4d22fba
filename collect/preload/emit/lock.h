/* SPDX-License-Identifier: MIT */
/*
 * The recorder's one lock: sequence numbers, tables and page protection change together.
 * Taken in ordinary code and in the fault handlers, so it knows its owner: a handler that
 * interrupts the owner is told so instead of waiting for itself.
 */
#ifndef KTAIL_COLLECT_LOCK_H
#define KTAIL_COLLECT_LOCK_H

#include <stdbool.h>
#include <stdint.h>

/* Thread id of the caller, cached per thread. */
uint32_t kt_tid(void);

/*
 * Nobody cancels the calling thread in between. LTTng waits for room in a full buffer, and
 * wakes its consumer, by functions in which any thread may be cancelled; what it has taken,
 * and what we have, would stay so for ever. May be nested, and used in signal handlers:
 * libc changes a word of the thread itself. Either ends a thread that may be cancelled at
 * any time and has been.
 */
struct kt_cancel {
	int state;
	int type;
};

void kt_cancel_off(struct kt_cancel *before);
void kt_cancel_back(const struct kt_cancel *before);

/*
 * Nor does a signal reach it, but for the recorder's own: a handler of the application
 * could find the lock taken by its own thread, or jump out of what it has interrupted and
 * leave it taken for ever.
 */
struct kt_signals_saved {
	struct kt_cancel cancel;
	uint64_t blocked; /* really */
};

void kt_signals_block(struct kt_signals_saved *before);
void kt_signals_restore(const struct kt_signals_saved *before);

/*
 * Takes the lock. false: the calling thread holds it already (nothing was taken). Until it
 * is given back the thread is quiet: one that is cancelled ends before it or after.
 */
bool kt_lock(void);

/* Whether the calling thread holds it. */
bool kt_lock_is_mine(void);

/* How often the lock has been taken. To be read by its owner. */
extern uint64_t kt_lock_turns;

/* In the recorder's handlers: the thread's signals and cancellation wait already. */
extern _Thread_local bool kt_signals_blocked;

/* What the owner's thread was open to before: a forked child takes it back itself. */
struct kt_signals_saved kt_lock_signals_saved(void);

/* Gives back what kt_lock() has taken; nothing if it said that it took nothing. */
void kt_unlock(bool taken);

/*
 * Around a change of a table that signal handlers look at: the thread's signals wait, so
 * that no handler of its own finds the table half changed. The lock is held. Not nested.
 */
void kt_change_begin(uint64_t *signals);
void kt_change_end(const uint64_t *signals);

/* In a forked child: the lock is free and the thread id is read anew. */
void kt_lock_after_fork(void);

#endif
